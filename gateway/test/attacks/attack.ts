// The attackers of `npm run abuse`, as a process: every key given sends one hostile body after the other. Says when it
// has begun, and when it is told to stop how often each status was answered.

export const MODEL = 'openai/test';
const TEXT_LENGTH = 4_000_000;
const UNITS = [
  'a',
  '1 ',
  'a@',
  'a.',
  '+1',
  'AB',
  'eyJ',
  'sk-',
  '(0',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----!',
  'Aa1',
];
const MEMBERS = Array.from({ length: 5_000 }, (_, index) => `"m${index}":[]`).join();

export async function post(url: string, key: string, body: Buffer): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: new Uint8Array(body) });
  await answer.arrayBuffer();
  return answer.status;
}

const hostileBodies = (): readonly Buffer[] =>
  [
    ...UNITS.map((unit) => {
      const content = unit.repeat(TEXT_LENGTH / unit.length);
      return JSON.stringify({ model: MODEL, max_tokens: 1, messages: [{ role: 'user', content }] });
    }),
    `{"model":"${MODEL}","messages":[],${MEMBERS}}`,
    `{"model":"${MODEL}","messages":${'['.repeat(200_000)}`,
  ].map((text) => Buffer.from(text));

async function attack(url: string, keys: readonly string[], tell: (message: unknown) => void): Promise<void> {
  const bodies = hostileBodies();
  const statuses: Record<number, number> = {};
  let isOver = false;
  process.once('message', () => {
    isOver = true;
  });
  const attacking = keys.map(async (key, place) => {
    for (let index = place; !isOver; index += 1) {
      const status = await post(url, key, bodies[index % bodies.length] as Buffer).catch(() => 0);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  });
  tell('begun');
  await Promise.all(attacking);
  tell(statuses);
  process.disconnect();
}

const [, , url = '', ...keys] = process.argv;
if (process.send !== undefined && url.startsWith('http')) {
  await attack(url, keys, (message) => process.send?.(message as object));
}
