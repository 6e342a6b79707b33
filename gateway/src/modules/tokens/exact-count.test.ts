// The counting thread gives the vocabulary's count for any text, and never makes a call wait for long.

import { countTokens as countOlder } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { countExactly } from './exact-count.ts';

const texts = ['Two words', 'export const total = 1_000;\n', '敏捷的棕色狐狸跳过了懒狗', ''];

/** Loading a vocabulary may take longer than a call would wait. */
async function warmed(tokenizer: 'o200k_base' | 'cl100k_base'): Promise<void> {
  while ((await countExactly(tokenizer, [['a']])) === null);
}

test('ROUTE-24 each group is counted exactly in the vocabulary that is asked for', async () => {
  await warmed('o200k_base');
  await warmed('cl100k_base');
  const groups = [texts, ...texts.map((text) => [text])];
  const sum = (count: (text: string) => number) => texts.reduce((tokens, text) => tokens + count(text), 0);
  expect(await countExactly('o200k_base', groups)).toEqual([
    sum(countTokens),
    ...texts.map((text) => countTokens(text)),
  ]);
  expect((await countExactly('cl100k_base', groups))?.[0]).toBe(sum(countOlder));
});

test('text that spells a control token is text', async () => {
  const counts = await countExactly('o200k_base', [['before <|endoftext|> after']]);
  expect(counts?.[0]).toBeGreaterThan(5);
});

test('endless pieces are counted piecemeal, and near enough', async () => {
  const endless = { a: 50_000, ' ': 60_000, '=': 60_000 };
  for (const [unit, length] of Object.entries(endless)) {
    const counts = await countExactly('o200k_base', [[`Words ${unit.repeat(length)} and words.`]]);
    const perPiece = countTokens(unit.repeat(128));
    expect(counts?.[0]).toBeGreaterThan((length / 128) * perPiece * 0.9);
    expect(counts?.[0]).toBeLessThan((length / 128) * perPiece * 1.1 + 20);
  }
});

test('when too much is waiting the answer is null, at once', async () => {
  const many = await Promise.all(Array.from({ length: 12 }, () => countExactly('o200k_base', [['one two three']])));
  expect(many.filter((counts) => counts === null)).toHaveLength(4);
  expect(many.filter((counts) => counts !== null)).toEqual(Array(8).fill([3]));
});
