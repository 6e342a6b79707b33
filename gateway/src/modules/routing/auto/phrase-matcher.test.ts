// Where phrases begin and end in a text, in every script, and that the trie finds what a plain search finds.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { characterTables } from './characters.ts';
import { compilePhrases } from './phrase-matcher.ts';

const characters = characterTables();

/** The phrases found in a text, by their own words. */
function findIn(phrases: readonly string[], text: string): string[] {
  const matcher = compilePhrases(
    phrases.map((phrase, signal) => ({ text: phrase, signal })),
    characters,
  );
  const units = Uint16Array.from(text, (character) => character.charCodeAt(0));
  const found: string[] = [];
  matcher.scan(units, units.length, (signal) => found.push(phrases[signal] ?? ''));
  return found;
}

test.each([
  ['a word', ['stock'], 'Buy the stock!', ['stock']],
  ['not a part of a word', ['stock'], 'stocking, overstock', []],
  ['a stem stands for what begins with it', ['analy*'], 'analysis and analyses, but paralysis', ['analy*', 'analy*']],
  ['a phrase of several words', ['stop loss'], 'my stop loss is tight', ['stop loss']],
  ['the longest phrase at a place counts alone', ['stop', 'stop loss', 'loss'], 'a stop loss', ['stop loss']],
  ['a longer phrase that breaks off leaves the shorter one', ['stop', 'stop loss order'], 'a stop loss', ['stop']],
  [
    'case, accents and width make no difference',
    ['übung', 'cafe'],
    'UBUNG, Café and ｃａｆｅ',
    ['übung', 'cafe', 'cafe'],
  ],
  ['typographic apostrophes are apostrophes', ["what's"], 'What’s up', ["what's"]],
  ['a line break is a space', ['good morning'], 'good\nmorning', ['good morning']],
  ['ideographs need no spaces', ['你好', '新闻'], '今天有什么新闻,你好吗', ['新闻', '你好']],
  ['letters beside ideographs are words', ['python'], '用Python写一个函数', ['python']],
  ['several signals may share a phrase', ['mean', 'mean'], 'the mean', ['mean', 'mean']],
])('%s', (_title, phrases, text, expected) => {
  expect(findIn(phrases, text)).toEqual(expected);
});

test('only the first units count', () => {
  const matcher = compilePhrases([{ text: 'end', signal: 0 }], characters);
  const units = Uint16Array.from('the end', (character) => character.charCodeAt(0));
  let found = 0;
  matcher.scan(units, 6, () => {
    found += 1;
  });
  expect(found).toBe(0);
});

test('agrees with a search that tries every phrase at every word', () => {
  const word = fc.stringMatching(/^[ab]{1,3}$/);
  const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.uniqueArray(phrase, { minLength: 1, maxLength: 6 }), fc.array(word), (phrases, words) => {
      expect(findIn(phrases, words.join(' '))).toEqual(slowSearch(phrases, words));
    }),
  );
});

function slowSearch(phrases: readonly string[], words: readonly string[]): string[] {
  const found: string[] = [];
  for (let start = 0; start < words.length; start += 1) {
    const fitting = phrases.filter((phrase) => {
      const length = phrase.split(' ').length;
      return words.slice(start, start + length).join(' ') === phrase;
    });
    const [longest] = fitting.sort((left, right) => right.length - left.length);
    if (longest === undefined) continue;
    found.push(longest);
    start += longest.split(' ').length - 1;
  }
  return found;
}
