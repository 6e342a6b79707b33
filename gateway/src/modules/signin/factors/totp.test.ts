// The test vectors of RFC 4226 and RFC 6238, and our own rules around them.

import { expect, test } from 'vitest';
import { base32, hotp, matchingStep, stepAt, totpUri } from './totp.ts';

const SECRET = Buffer.from('12345678901234567890');

test('RFC 4226, appendix D', () => {
  const codes = Array.from({ length: 10 }, (_, counter) => hotp(SECRET, BigInt(counter)));
  expect(codes).toEqual([
    ...['755224', '287082', '359152', '969429', '338314'],
    ...['254676', '287922', '162583', '399871', '520489'],
  ]);
});

test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('RFC 6238, appendix B: %i', (seconds, code) => {
  expect(hotp(SECRET, stepAt(seconds * 1000), 8)).toBe(code);
});

test('a code counts in the half minutes beside its own, and no further', () => {
  const nowMs = 1_234_567_890_000;
  const step = stepAt(nowMs);
  const code = hotp(SECRET, step);
  expect([-60_000, -30_000, 0, 30_000, 60_000].map((ms) => matchingStep(SECRET, code, nowMs + ms))).toEqual([
    ...[null, step, step, step],
    null,
  ]);
  expect(matchingStep(SECRET, '', nowMs)).toBeNull();
});

test('RFC 4648, section 10, and the address that apps read', () => {
  expect(['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text)))).toEqual([
    ...['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB'],
    'MZXW6YTBOI',
  ]);
  expect(totpUri(SECRET, 'ann+x@example.com', 'Tollgate')).toBe(
    'otpauth://totp/Tollgate:ann%2Bx%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tollgate',
  );
});
