// Sources as this protocol names them: a page of the web, a result of a search that the caller gave, or a place in a
// document.

import { expect, test } from 'vitest';
import { readCitation } from './read-citation.ts';

const nothing = { url: null, title: null, citedText: null, documentIndex: null, range: null };

test.each([
  ['documentChar', 'character'],
  ['documentPage', 'page'],
  ['documentChunk', 'block'],
])('a %s is a place in a document, counted by %s', (name, unit) => {
  const location = { [name]: { documentIndex: 2, start: 5, end: 9 } };
  const sourceContent = [{ text: 'The ' }, { text: 'tide.' }, { image: 7 }];
  expect(readCitation({ title: 'tides.pdf', location, sourceContent })).toEqual([
    { ...nothing, title: 'tides.pdf', citedText: 'The tide.', documentIndex: 2, place: { unit, start: 5, end: 9 } },
  ]);
});

test('pages and results of a search have an address, and what names nothing is no source', () => {
  const web = { web: { url: 'https://w.example/1', domain: 'w.example' } };
  expect(readCitation({ location: web })).toEqual([{ ...nothing, url: 'https://w.example/1' }]);
  const found = { searchResultLocation: { searchResultIndex: 1, start: 0, end: 1 } };
  expect(readCitation({ title: 'T', source: 'https://w.example/2', location: found })).toEqual([
    { ...nothing, url: 'https://w.example/2', title: 'T' },
  ]);
  expect(readCitation({ source: 'tides.pdf', location: { documentPage: { documentIndex: -1 } } })).toEqual([
    { ...nothing, title: 'tides.pdf', documentIndex: 0 },
  ]);
  expect(readCitation({ location: 7, sourceContent: 'x' })).toEqual([]);
});
