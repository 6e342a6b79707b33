// An operator's typing error must be reported at its place, with every other one, and never be served.

import { describe, expect, test } from 'vitest';
import { documentOf, problemsOf, SAMPLE } from '../../../test/catalog/sample-catalog.ts';
import { formatPath, suggestion } from './config-problem.ts';
import { decimalText } from './normal-form.ts';
import { protocolNames } from './protocols.ts';

const PROVIDERS = 'providers: { openai: { protocol: openai, base_url: http://h/v1 } }';
const withModel = (id: string, entry: string): string => `${PROVIDERS}\nmodels:\n  ${id}: ${entry}`;
const PRICED = 'pricing: { prompt: 1, completion: 1 }';

test('a good document has no problems and comes out in its normal form', () => {
  expect(problemsOf(SAMPLE)).toEqual([]);
  const text = withModel(
    'a/b',
    '{ pricing: { prompt: 0.15, completion: 3e-7, request: 2 }, deprecation_date: 2027-01-31 }',
  );
  const document = documentOf(text.replace('http://h/v1', 'http://h/v1//'));
  expect(document.models?.['a/b']).toEqual({
    pricing: { prompt: '0.15', completion: '0.0000003', request: '2' },
    deprecation_date: '2027-01-31',
  });
  expect(document.providers?.openai?.base_url).toBe('http://h/v1');
});

test.each([
  [0.15, '0.15'],
  [3e-7, '0.0000003'],
  [1.25e-7, '0.000000125'],
  [0, '0'],
  [10, '10'],
  [1e21, '1000000000000000000000'],
  [1.5e22, '15000000000000000000000'],
  [12345678901234567890n, '12345678901234567890'],
  [-1, '-1'],
  ['0.10', '0.10'],
])('the number %s is the decimal %s', (value, text) => {
  expect(decimalText(value)).toBe(text);
});

describe('each problem names its path', () => {
  test.each([
    ['provider: {}', 'provider: unknown key, did you mean "providers"?'],
    ['banana: {}', 'banana: unknown key'],
    ['providers: []', 'providers: expected a mapping of keys'],
    [`${PROVIDERS}\ndefault_provider: opnai`, 'default_provider: no provider named "opnai", did you mean "openai"?'],
    ['providers: { x: { protocol: openai } }', 'providers.x.base_url: is missing'],
    [
      'providers: { x: { protocol: grpc, base_url: http://h } }',
      `providers.x.protocol: expected one of ${protocolNames.join(', ')}`,
    ],
    [
      'providers: { x: { protocol: openai, base_url: ftp://h } }',
      'providers.x.base_url: must start with http:// or https://',
    ],
    [
      'providers: { x: { protocol: openai, base_url: http://u:p@h } }',
      'providers.x.base_url: must not hold a user or password; use api_key',
    ],
    [
      'providers: { x: { protocol: openai, base_url: http://h?a=1 } }',
      'providers.x.base_url: must not hold a query or fragment',
    ],
    ['providers: { x: { protocol: openai, base_url: nowhere } }', 'providers.x.base_url: is not a URL'],
    [
      'providers: { x: { protocol: openai, base_url: http://h, api_key: "a\\nb" } }',
      'providers.x.api_key: holds characters that cannot be sent in a header',
    ],
    [
      'providers: { __proto__: { protocol: openai, base_url: http://h } }',
      'providers.__proto__: a provider name holds letters, digits, dots, hyphens and underscores',
    ],
    [
      withModel('a/b', `{ contxt_length: 5, ${PRICED} }`),
      'models.a/b.contxt_length: unknown key, did you mean "context_length"?',
    ],
    [
      withModel('openai/gpt-x', `{ ${PRICED}, routes: [{ provider: opnai }] }`),
      'models.openai/gpt-x.routes[0].provider: no provider named "opnai", did you mean "openai"?',
    ],
    [
      withModel('a/b', `{ ${PRICED}, context_length: 0 }`),
      'models.a/b.context_length: expected a whole number from 1 to 1000000000',
    ],
    [
      withModel('a/b', `{ ${PRICED}, family: opnai }`),
      'models.a/b.family: no family named "opnai", did you mean "openai"?',
    ],
    [
      withModel('a/b', `{ ${PRICED}, deprecation_date: 2027-02-30 }`),
      'models.a/b.deprecation_date: there is no day 2027-02-30',
    ],
    [
      withModel('a/b', `{ ${PRICED}, deprecation_date: soon }`),
      'models.a/b.deprecation_date: expected a date such as 2027-01-31',
    ],
    [
      withModel('a/b', `{ ${PRICED}, output_modalities: [smell] }`),
      /^models\.a\/b\.output_modalities\[0\]: expected one of text, /,
    ],
    [
      `${PROVIDERS}\nroutes: { "a*": { provider: openai } }`,
      'routes.a*: a route is for "*", "<provider>/*" or one full model id',
    ],
    [`${PROVIDERS}\nroutes: { "*": { provider: x } }`, 'routes.*.provider: no provider named "x"'],
    [
      'limits: { free_requests_per_minute: 0 }',
      'limits.free_requests_per_minute: expected a whole number from 1 to 1000000',
    ],
  ])('%s', (text, problem) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    if (typeof problem === 'string') expect(problems[0]).toBe(problem);
    else expect(problems[0]).toMatch(problem);
  });

  test('all of them are reported, up to a bound', () => {
    expect(problemsOf('a: 1\nb: 2\nc: 3')).toHaveLength(3);
    const many = Array.from({ length: 100 }, (_, index) => `k${index}: 1`).join('\n');
    expect(problemsOf(many)).toHaveLength(25);
  });

  test('no control character of a name reaches a terminal', () => {
    expect(formatPath(['models', 'a\u001b[31m\u202e', 0])).toBe('models.a\\u001b[31m\\u202e[0]');
  });
});

describe('CAT-02 model ids', () => {
  test.each(['gpt-x', 'a/b/c', '/b', 'a/', 'a b/c', 'a/b:', 'a/b:c:d', 'a/ü', '__proto__/x', `a/${'b'.repeat(200)}`])(
    'refuses %j',
    (id) => {
      expect(problemsOf(withModel(JSON.stringify(id), `{ ${PRICED} }`))[0]).toContain(
        'a model id is <provider>/<name>',
      );
    },
  );

  test.each(['openai/GPT-4.1_mini-2025', 'a/b:thinking', '01-ai/yi.34b'])('takes %s', (id) => {
    expect(problemsOf(withModel(id, `{ ${PRICED} }`))).toEqual([]);
  });

  test('a shortcut cannot be part of an id, since it is stripped before matching', () => {
    for (const shortcut of ['floor', 'nitro', 'online']) {
      expect(problemsOf(withModel(`a/b:${shortcut}`, `{ ${PRICED} }`))[0]).toContain('routing shortcut');
    }
  });

  test('CAT-12 two ids with one slug are refused', () => {
    const text = `${PROVIDERS}\nmodels:\n  a/b-c: { ${PRICED} }\n  a-b/c: { ${PRICED} }`;
    expect(problemsOf(text)).toEqual(['models.a-b/c: has the slug "a-b-c", which a/b-c has too']);
  });

  test('CAT-09 CAT-12 a :free id beside a model whose free tier makes the same id is refused', () => {
    const text = `${PROVIDERS}\nmodels:\n  a/b: { free: {}, ${PRICED} }\n  a/b:free: { ${PRICED} }`;
    expect(problemsOf(text)).toEqual(['models.a/b:free: has the slug "a-b:free", which a/b:free has too']);
  });
});

describe('prices', () => {
  test.each([
    [
      '{ pricing: { prompt: 1 } }',
      'models.a/b.pricing.completion: a model with text output needs this price, "0" if it costs nothing',
    ],
    [
      '{ pricing: { prompt: -1, completion: 1 } }',
      'models.a/b.pricing.prompt: expected a price in USD as a plain decimal, such as "0.15"',
    ],
    [
      '{ pricing: { prompt: "1,5", completion: 1 } }',
      'models.a/b.pricing.prompt: expected a price in USD as a plain decimal, such as "0.15"',
    ],
    [
      '{ pricing: { prompt: "0.0000000001", completion: 1 } }',
      'models.a/b.pricing.prompt: "0.0000000001" is too large or has more than nine decimals (USD per million)',
    ],
    [
      `{ pricing_tiers: [{ above_prompt_tokens: 1, prompt: 1, completion: 1 }] }`,
      'models.a/b.pricing_tiers: tiers need base prices under "pricing"',
    ],
    [
      '{ routes: [{ provider: openai, pricing: { prompt: 1 } }] }',
      'models.a/b.routes[0].pricing.completion: a model with text output needs this price, "0" if it costs nothing',
    ],
    [
      '{ routes: [{ provider: openai, pricing_tiers: [{ above_prompt_tokens: 1, prompt: 1, completion: 1 }] }] }',
      'models.a/b.routes[0].pricing_tiers: tiers need base prices under "pricing"',
    ],
  ])('%s', (entry, problem) => {
    expect(problemsOf(withModel('a/b', entry))).toEqual([problem]);
  });

  test('CAT-08 tiers must ascend', () => {
    const tier = (above: number) => `{ above_prompt_tokens: ${above}, prompt: 0.000001, completion: 0.000001 }`;
    const entry = `{ ${PRICED}, pricing_tiers: [${tier(10)}, ${tier(10)}] }`;
    expect(problemsOf(withModel('a/b', entry))).toEqual([
      'models.a/b.pricing_tiers[1].above_prompt_tokens: tiers must be in ascending order, each threshold once',
    ]);
  });

  test('a flat price for each call is enough', () => {
    expect(problemsOf(withModel('a/b', '{ pricing: { request: "0.01" } }'))).toEqual([]);
  });
});

describe('AUTO-06 the auto tables', () => {
  const table = (tiers: string): string => `${withModel('a/b', `{ free: {}, ${PRICED} }`)}\nauto: { paid: ${tiers} }`;

  test.each([
    ['{ simpel: { models: [a/b] } }', 'auto.paid.simpel: unknown key, did you mean "simple"?'],
    ['{ simple: { models: [a/x] } }', 'auto.paid.simple.models[0]: no model named "a/x", did you mean "a/b"?'],
    ['{ simple: { models: [] } }', 'auto.paid.simple.models: an enabled tier needs a model'],
    [
      '{ simple: { models: [a/b, a/b, a/b, a/b, a/b, a/b, a/b] } }',
      'auto.paid.simple.models: expected a list of at most 6 models',
    ],
  ])('%s', (tiers, problem) => {
    expect(problemsOf(table(tiers))).toEqual([problem]);
  });

  test('a disabled tier may be empty, and free variants may be named', () => {
    expect(problemsOf(table('{ video: { enabled: false, models: [] }, simple: { models: ["a/b:free"] } }'))).toEqual(
      [],
    );
  });
});

test('suggestions come from near names only', () => {
  expect(suggestion('pricng', ['pricing', 'prices'])).toBe(', did you mean "pricing"?');
  expect(suggestion('zzz', ['pricing'])).toBe('');
  expect(suggestion('a', ['b'])).toBe('');
});

test('a name with a line break is no way around the schema', () => {
  const text = JSON.stringify({ models: { 'a/b\nc': null }, providers: { 'p\u2028q': 7 } });
  expect(problemsOf(text)).toEqual([
    expect.stringContaining('a name is one line'),
    expect.stringContaining('one line'),
  ]);
});
