// The settings of a provider's entry depend on its protocol, and its secrets are treated like keys wherever a document
// is stored, compared or shown.

import { expect, test } from 'vitest';
import { describeDifference } from '../../src/modules/catalog/difference.ts';
import {
  maskSecrets,
  openSecrets,
  restoreMaskedSecrets,
  sealSecrets,
} from '../../src/modules/catalog/document-secrets.ts';
import { documentOf, problemsOf, snapshotOf } from './sample-catalog.ts';

const entry = (more: string): string => `providers:\n  acme: { ${more} }\n`;
const VERTEX =
  'protocol: vertex, project: 123, location: global, credentials: { client_email: a@b.test, private_key: KEY }';

test.each([
  ['protocol: opneai, base_url: http://x.test', /protocol: expected one of .*openai/],
  ['protocol: openai', /base_url: is missing/],
  ['protocol: openai, base_url: http://x.test, project: p', /project: unknown key/],
  ['protocol: gemini, api_kee: k', /api_kee: unknown key.*api_key/],
  ['protocol: vertex, project: p, location: l', /credentials: is missing/],
  ['protocol: vertex, project: p, location: "l/../x", credentials: c', /location: has characters/],
])('%s is refused by the name of what is wrong', (text, problem) => {
  expect(problemsOf(entry(text))).toEqual([expect.stringMatching(problem)]);
});

test('CAT-01 a provider without an address gets that of its vendor, made from its settings', () => {
  const urlOf = (text: string) => snapshotOf(entry(text)).providers.get('acme')?.baseUrl;
  expect(urlOf('protocol: gemini, api_key: k')).toBe('https://generativelanguage.googleapis.com/v1beta');
  expect(urlOf(VERTEX)).toBe('https://aiplatform.googleapis.com');
  expect(urlOf(VERTEX.replace('global', 'us-east5'))).toBe('https://us-east5-aiplatform.googleapis.com');
  expect(urlOf(`${VERTEX}, base_url: http://127.0.0.1:1/`)).toBe('http://127.0.0.1:1');
});

test('settings are text, whether they were written as numbers, mappings or JSON', () => {
  const { settings } = snapshotOf(entry(VERTEX)).providers.get('acme') ?? {};
  expect(settings).toEqual({
    project: '123',
    location: 'global',
    credentials: '{"client_email":"a@b.test","private_key":"KEY"}',
  });
});

test('secret settings are sealed for their place, masked for people and never told in a difference', () => {
  const document = documentOf(entry(VERTEX));
  const key = Buffer.alloc(32, 7);
  const sealed = sealSecrets(document, key);
  expect(JSON.stringify(sealed)).not.toContain('KEY');
  expect(openSecrets(sealed, key)).toEqual({ document, unreadable: [] });
  const masked = maskSecrets(document);
  expect(masked.providers?.acme).toMatchObject({ project: '123', credentials: '********' });
  expect(restoreMaskedSecrets(masked, document)).toEqual(document);
  expect(() => restoreMaskedSecrets(masked, {})).toThrow();
  const changed = documentOf(entry(VERTEX.replace('KEY', 'OTHER')));
  expect(describeDifference(document, changed).changes).toEqual(['~ provider acme: credentials changed']);
});
