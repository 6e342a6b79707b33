// A connection may carry calls of several keys in turn.

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { TokenDigest } from './token-digest.ts';

const whole = (token: string) => createHash('sha256').update(token).digest('binary');

test('a token has its own digest, whichever came before it', () => {
  const digest = new TokenDigest();
  const tokens = ['', 'sk-a', 'sk-a', 'sk-b', '', 'sk-a', 'sk-a ', 'sk-'];
  expect(tokens.map((token) => digest.of(token))).toEqual(tokens.map(whole));
});
