// What counts as the same code, and that nothing else does.

import { expect, test } from 'vitest';
import { hashCode, newCodeText, plainCode } from './code-text.ts';

test('a code survives being typed in other ways, and nothing else is one', () => {
  const code = newCodeText();
  expect(code).toMatch(/^TG(-[0-9A-HJKMNP-TV-Z]{5}){5}$/);
  const plain = plainCode(code);
  expect(plain).toHaveLength(25);
  expect(plainCode(` ${code.toLowerCase().replaceAll('-', ' ')} `)).toBe(plain);
  expect(plainCode(code.slice(3))).toBe(plain);
  expect(plainCode('TG-OOOOO-IIIII-LLLLL-00000-11111')).toBe('0000011111111110000011111');
  for (const wrong of ['', 'TG', code.slice(0, -1), `${code}A`]) expect(plainCode(wrong), wrong).toBeNull();
});

test('codes differ, and so do their hashes by installation', () => {
  expect(new Set(Array.from({ length: 1_000 }, newCodeText)).size).toBe(1_000);
  const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  expect(hashCode(one, 'A').equals(hashCode(other, 'A'))).toBe(false);
});
