// Heads that follow each other are written as if each were the first.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HeaderLines } from './header-lines.ts';

const lineOf = (name: string, value: string): string => {
  if (value === 'bad') throw new Error(name);
  return `${name}: ${value}\r\n`;
};

test('whatever came before, the lines are those of the headers that are given', () => {
  const header = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('', '1', '2', 'bad'));
  const heads = fc.array(fc.array(header, { maxLength: 4 }), { maxLength: 8 });
  fc.assert(
    fc.property(heads, (given) => {
      const lines = new HeaderLines(lineOf);
      for (const head of given) {
        const isBad = head.some(([, value]) => value === 'bad');
        if (isBad) expect(() => lines.write(head.flat())).toThrow();
        else expect(lines.write(head.flat())).toBe(head.map(([name, value]) => lineOf(name, value)).join(''));
      }
    }),
  );
});
