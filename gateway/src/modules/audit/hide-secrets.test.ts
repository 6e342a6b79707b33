// Values that must never be in the log, whoever writes the entry.

import { expect, test } from 'vitest';
import { hideSecrets } from './hide-secrets.ts';

test('ALOG-05 fields that are named after secrets are blanked, at any depth', () => {
  const entry = { name: 'ci', key: 'abc', inner: [{ apiKey: 'x', token: 'y', note: 'kept' }], password: null };
  expect(hideSecrets(entry)).toEqual({
    name: 'ci',
    key: '[hidden]',
    inner: [{ apiKey: '[hidden]', token: '[hidden]', note: 'kept' }],
    password: null,
  });
  for (const name of ['code', 'prompt', 'messages', 'authorization', 'clientSecret', 'accessToken', 'api_key']) {
    expect(hideSecrets({ [name]: 'x' }), name).toEqual({ [name]: '[hidden]' });
  }
});

test('ALOG-05 a key in the middle of a text is blanked', () => {
  const secret = `sk-tg-${'a1'.repeat(20)}`;
  expect(hideSecrets({ name: `my ${secret} key` })).toEqual({ name: 'my [hidden] key' });
  expect(hideSecrets({ list: [`Bearer ${secret}`] })).toEqual({ list: ['[hidden]'] });
});

test('ALOG-05 what merely looks similar stays', () => {
  const entry = { costCenterCode: 'CC-1', keyId: 'key-1', monthlyBudget: 5, name: 'risk-averse task-force', on: true };
  expect(hideSecrets(entry)).toEqual(entry);
  expect(hideSecrets(null)).toBeNull();
});
