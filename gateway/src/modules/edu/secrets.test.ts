// The forms of secrets, and that a value derived from one secret cannot be used for another purpose.

import { expect, test } from 'vitest';
import { createEduHashes, newCode, newInstitutionKey } from './secrets.ts';

const hashes = createEduHashes('a-secret-a-secret-a-secret-a-secret');
const others = createEduHashes('b-secret-b-secret-b-secret-b-secret');

test('KEY-01 EDU-06 keys and tokens say what they are, and no two are alike', () => {
  expect(newInstitutionKey()).toMatch(/^sk-edu-[\w-]{43}$/);
  expect(hashes.newToken()).toMatch(/^edu-sess-[\w-]{49}$/);
  expect(new Set(Array.from({ length: 100 }, hashes.newToken)).size).toBe(100);
});

test('AUTH-08 a token that this installation did not make is known by its tag', () => {
  const token = hashes.newToken();
  expect(hashes.isToken(token)).toBe(true);
  expect(others.isToken(token)).toBe(false);
  for (const wrong of ['', 'edu-sess-', token.slice(0, -1), `${token}A`, token.replace('edu-sess-', 'sk-tg-')]) {
    expect(hashes.isToken(wrong)).toBe(false);
  }
  const at = 'edu-sess-'.length;
  expect(hashes.isToken(token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1))).toBe(false);
});

test('EDU-05 a code has six digits, and its hash is good for one pair of one installation', () => {
  for (let count = 0; count < 200; count += 1) expect(newCode()).toMatch(/^\d{6}$/);
  const pairs = [hashes.pair(hashes.key('k'), 'a@b.example'), hashes.pair(hashes.key('k'), 'b@b.example')] as const;
  const made = [hashes.code(pairs[0], '000000'), hashes.code(pairs[1], '000000'), others.code(pairs[0], '000000')];
  expect(new Set(made.map((hash) => hash.toString('hex'))).size).toBe(3);
  expect(hashes.code(pairs[0], '000000')).toEqual(made[0]);
});

test('EDU-13 a student is the same for an organization, and another for the next', () => {
  const id = hashes.studentId('org-1', 'a@uni.example');
  expect(id).toMatch(/^student-[0-9a-f]{24}$/);
  expect(hashes.studentId('org-1', 'a@uni.example')).toBe(id);
  expect(hashes.studentId('org-2', 'a@uni.example')).not.toBe(id);
});
