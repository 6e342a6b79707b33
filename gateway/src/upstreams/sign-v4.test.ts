// The signature agrees with the vendor's published test suite, and depends on everything that must not change on the
// way.

import { expect, test } from 'vitest';
import { signV4 } from './sign-v4.ts';

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const SCOPE = { region: 'us-east-1', service: 'service' };
const CALL = {
  method: 'GET' as const,
  url: 'https://example.amazonaws.com/',
  headers: [],
  body: '',
  nowMs: Date.parse('2015-08-30T12:36:00Z'),
};

async function headersOf(change: Partial<Parameters<typeof signV4>[0]>, keys: Parameters<typeof signV4>[1] = KEYS) {
  const list = await signV4({ ...CALL, ...change }, keys, SCOPE);
  return Object.fromEntries(
    Array.from({ length: list.length / 2 }, (_, index) => [list[index * 2], list[index * 2 + 1]]),
  );
}

test.each([
  ['get-vanilla', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-vanilla-query-order-key-case',
    { url: 'https://example.amazonaws.com/?Param2=value2&Param1=value1' },
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  ['post-vanilla', { method: 'POST' as const }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
])('the published case %s', async (_, change, signature) => {
  expect(await headersOf(change)).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
      `SignedHeaders=host;x-amz-date, Signature=${signature}`,
  });
});

test('body, time, path and a session are part of the signature; the secret is in no header', async () => {
  const post = { method: 'POST' as const, body: '{"a":1}' };
  const all = [
    await headersOf(post),
    await headersOf({ ...post, body: Buffer.from('{"a":2}') }),
    await headersOf({ ...post, nowMs: CALL.nowMs + 1_000 }),
    await headersOf({ ...post, url: 'https://example.amazonaws.com/model/a%3A0/converse' }),
    await headersOf(post, { ...KEYS, sessionToken: 'session' }),
  ];
  expect(new Set(all.map(({ authorization }) => authorization)).size).toBe(all.length);
  expect(JSON.stringify(all)).not.toContain(KEYS.secretAccessKey);
  expect(all.at(-1)).toMatchObject({ 'x-amz-security-token': 'session' });
  expect(all.at(-1)?.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token');
});

test('a body that is only read while it is sent is refused', async () => {
  const body = { byteLength: 1, open: async function* () {} };
  await expect(headersOf({ method: 'POST', body })).rejects.toThrow('cannot be signed');
});
