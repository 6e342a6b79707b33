// A file's text must mean the same in YAML and JSON, and a variable's value must never be read as syntax.

import { describe, expect, test } from 'vitest';
import { ConfigDocumentError } from './config-problem.ts';
import { interpolate, parseDocumentText } from './parse-document.ts';

const nothing: ReadonlySet<string> = new Set();
const reference = (name: string): string => `$\{${name}}`;

test('YAML and JSON give the same values', () => {
  const expected = {
    models: { 'a/b': { pricing: { prompt: '0.15', completion: 0.6 }, deprecation_date: '2027-01-31' } },
  };
  const yaml = 'models:\n  a/b: { pricing: { prompt: "0.15", completion: 0.60 }, deprecation_date: 2027-01-31 }';
  expect(parseDocumentText(yaml)).toEqual(expected);
  expect(parseDocumentText(JSON.stringify(expected))).toEqual(expected);
  expect(parseDocumentText('{ models: { a/b: 1 } }')).toEqual({ models: { 'a/b': 1 } });
  expect(parseDocumentText('# nothing yet\n')).toEqual({});
});

test('a variable may stand unquoted inside braces, as the documented example writes it', () => {
  const text = `providers:\n  p: { protocol: openai, api_key: ${reference('KEY')}, base_url: ${reference('BASE')}/v1 }`;
  expect(interpolate(parseDocumentText(text), { KEY: 'sk', BASE: 'http://h' }, nothing)).toEqual({
    providers: { p: { protocol: 'openai', api_key: 'sk', base_url: 'http://h/v1' } },
  });
});

test('a value is a value, whatever it contains', () => {
  const value = `a", b: "c\n  # {d} : [e] ${reference('KEY')}`;
  const document = interpolate(parseDocumentText(`k: "${reference('KEY')}"`), { KEY: value }, nothing);
  expect(document).toEqual({ k: value });
});

test('a variable that is not set is named with its place; an empty one is a value', () => {
  const document = parseDocumentText(
    `providers: { p: { api_key: ${reference('NONE')} }, q: { api_key: ${reference('EMPTY')} } }`,
  );
  expect(() => interpolate(document, { EMPTY: '' }, nothing)).toThrow(
    new ConfigDocumentError(['providers.p.api_key: the environment variable NONE is not set']),
  );
});

test('names that are kept stay references', () => {
  const document = parseDocumentText(`u: ${reference('LATE')}/v1`);
  expect(interpolate(document, { LATE: 'now' }, new Set(['LATE']))).toEqual({ u: `${reference('LATE')}/v1` });
});

describe('text that is no document', () => {
  test.each([
    ['models: [a', /line 1/],
    ['a: 1\na: 2', /unique.* line 2/],
    ['- a\n- b', /expected a mapping/],
    ['just text', /expected a mapping/],
    ['{"a": 1,}}', /line 1/],
  ])('%j', (text, message) => {
    expect(() => parseDocumentText(text)).toThrow(message);
  });

  test('an excerpt of the file, which may hold a secret, is not in the message', () => {
    expect(() => parseDocumentText('api_key: "sk-secret\nb: [')).toThrow(/^((?!sk-secret)[\s\S])*$/);
  });

  test('aliases cannot blow up', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let level = 1; level < 9; level++) {
      const [name, below] = ['abcdefghi'[level], 'abcdefghi'[level - 1]];
      bomb.push(`${name}: &${name} [${Array(9).fill(`*${below}`).join(',')}]`);
    }
    expect(() => parseDocumentText(bomb.join('\n'))).toThrow(/alias/);
  });
});

test.each([
  ['an alias of nothing', 'a: *nowhere'],
  ['a merge of what is no mapping', 'a: &a [1]\nb: { <<: *a }'],
  [
    'aliases that multiply',
    `a: &a [1, 1]\n${'bcdefgh'.replaceAll(/./g, (name) => `${name}: &${name} [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n`)}x: [*b, *c, *d, *e, *f, *g, *h]\ny: &y [*h, *h, *h, *h]\nz: [*y, *y, *y, *y, *y, *y]`,
  ],
])('%s is a problem of the document', (_name, text) => {
  expect(() => parseDocumentText(text)).toThrow(ConfigDocumentError);
});
