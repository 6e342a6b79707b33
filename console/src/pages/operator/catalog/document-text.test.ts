import { expect, test } from 'vitest';
import { problemsOf, readText } from './document-text.ts';

test('only one JSON object is a document', () => {
  expect(readText('{"models":{}}')).toEqual({ document: { models: {} }, problem: null });
  expect(readText('[]').problem).toMatch(/one JSON object/);
  expect(readText('{').problem).toMatch(/not JSON/);
});

test('a refusal is told problem by problem, another error as it is', () => {
  expect(problemsOf('The config was not applied. a: x; b: y')).toEqual(['a: x', 'b: y']);
  expect(problemsOf('Away; try later')).toEqual(['Away; try later']);
});
