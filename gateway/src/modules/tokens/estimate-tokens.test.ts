// The estimate stays near the count of a current vocabulary for every kind of text, and a long text takes no longer
// than one of middle length.

import { createHash } from 'node:crypto';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { estimateTokens } from './estimate-tokens.ts';

const digests = Array.from({ length: 24 }, (_, index) => createHash('sha512').update(`seed ${index}`).digest());
const records = digests.map((digest, index) => ({
  id: index + 1,
  customer: `customer-${digest.readUInt16BE(0)}`,
  amount: digest.readUInt32BE(2) / 100,
  paid: (digest[6] ?? 0) > 127,
  tags: ['retail', 'late'].slice(0, (digest[7] ?? 0) % 3),
}));

const samples: Readonly<Record<string, string>> = {
  prose: `The ferry left at seven, when the fog still lay on the water, and nobody on deck could see the far shore. A woman
with a cello asked whether the crossing had ever been cancelled. Twice, said the captain, and both times the wedding had
to wait. She laughed, tuned a string, and began to play so quietly that one had to come closer to hear it at all.`,
  code: `export async function loadOrders(database: Database, since: Date): Promise<readonly Order[]> {
  const rows = await database.query('orders_since', [since.toISOString()]);
  for (const row of rows) {
    if (row.total < 0) throw new RangeError(\`order \${row.id} has a negative total\`);
  }
  return rows.map((row) => ({ id: row.id, total: BigInt(row.total), isOpen: row.closed_at === null }));
}
`,
  json: JSON.stringify(records),
  'indented json': JSON.stringify(records, null, 2),
  chinese: `今天早上下了一场大雨,街上的行人都躲进了附近的茶馆。老板一边烧水,一边讲起他年轻时在江边捕鱼的故事。
大家听得入神,谁也没有注意到雨已经停了,阳光正从窗户照进来,落在那些旧木桌上。`,
  japanese: `昨日は朝から雨が降っていたので、家で古い写真を整理しました。祖母が若かった頃の写真を見つけて、とても懐かしくなりました。`,
  korean: `지난 주말에 친구들과 함께 산에 올라갔는데 날씨가 맑아서 멀리 바다까지 볼 수 있었습니다. 내려오는 길에 작은 식당에서 국수를 먹었습니다.`,
  russian: `Вчера вечером мы долго сидели на берегу и смотрели, как рыбаки вытаскивают сети. Старик рассказал, что раньше
рыбы было гораздо больше, а теперь молодые уезжают в город и редко возвращаются домой.`,
  hindi: `कल शाम हम नदी के किनारे बैठे थे और मछुआरों को जाल खींचते हुए देख रहे थे। बूढ़े आदमी ने बताया कि पहले यहाँ बहुत मछलियाँ
होती थीं, लेकिन अब नौजवान शहर चले जाते हैं और बहुत कम वापस आते हैं।`,
  arabic: `جلسنا مساء أمس على شاطئ البحر نراقب الصيادين وهم يسحبون الشباك من الماء. قال الرجل العجوز إن السمك كان كثيرا في
الماضي، أما اليوم فإن الشباب يسافرون إلى المدينة ولا يعودون إلا قليلا.`,
  german: `Am Montag fährt der Zug schon um sechs Uhr, deshalb müssen wir früh aufstehen. Die Fahrkarten liegen auf dem
Küchentisch, und für unterwegs habe ich belegte Brötchen und eine große Kanne Kaffee vorbereitet.`,
  base64: Buffer.concat(digests).toString('base64'),
  hex: Buffer.concat(digests.slice(0, 8)).toString('hex'),
  numbers: records.map(({ amount }) => amount.toFixed(2)).join(' '),
  table: `| name | total | share |\n| ---- | ----- | ----- |\n${records.map(({ customer, amount }) => `| ${customer} | ${amount} | 12% |`).join('\n')}`,
};

describe('ROUTE-24 the estimate of a text is near its count', () => {
  test.each(Object.entries(samples))('%s', (_, text) => {
    const tokens = countTokens(text);
    expect(estimateTokens(text)).toBeGreaterThan(tokens * 0.8);
    expect(estimateTokens(text)).toBeLessThan(tokens * 1.25);
  });
});

test('nothing is nothing, and anything is at least one', () => {
  expect(estimateTokens('')).toBe(0);
  for (const text of ['a', ' a', '7', '.', '\n', '語', '😀']) expect(estimateTokens(text)).toBeGreaterThanOrEqual(1);
});

test('a long text is judged by samples from all of it', () => {
  const half = (samples.prose ?? '').repeat(3_000);
  const other = (samples.base64 ?? '').repeat(500);
  const whole = estimateTokens(samples.prose ?? '') * 3_000 + estimateTokens(samples.base64 ?? '') * 500;
  const estimate = estimateTokens(half + other);
  expect(estimate).toBeGreaterThan(whole * 0.9);
  expect(estimate).toBeLessThan(whole * 1.1);
});
