import { expect, test } from 'vitest';
import { problemsOf, readText, textOfDocument } from './document-text.ts';

test('only one mapping of keys is a document, in JSON or in YAML', () => {
  expect(readText('{"models":{}}')).toEqual({ document: { models: {} }, problem: null });
  expect(readText('models:\n  a/b: { name: "B" }\n')).toEqual({
    document: { models: { 'a/b': { name: 'B' } } },
    problem: null,
  });
  expect(readText('[]').problem).toMatch(/one mapping/);
  expect(readText('').problem).toMatch(/one mapping/);
  expect(readText('{').problem).toMatch(/not JSON/);
  expect(readText('models: [').problem).toMatch(/not YAML/);
});

test('a document is the same in both, also what looks like something else', () => {
  const odd = {
    models: { 'a/b': { name: 'yes', pricing: { prompt: '0.10', completion: '1e3' }, deprecation_date: '2027-01-31' } },
  };
  expect(readText(textOfDocument(odd, 'yaml')).document).toEqual(odd);
  expect(readText(textOfDocument(odd)).document).toEqual(odd);
});

test('a refusal is told problem by problem, another error as it is', () => {
  expect(problemsOf('The config was not applied. a: x; b: y')).toEqual(['a: x', 'b: y']);
  expect(problemsOf('Away; try later')).toEqual(['Away; try later']);
});
