import { expect, test } from 'vitest';
import { editedEntry } from './edited-entry.ts';

const ENTRY = { description: 'A model.', pricing: { completion: '2', prompt: '1' }, name: 'One', routes: [] };
const VALUES = { name: 'One', context: '', prices: { prompt: '1', completion: '2', image: '' } };

test('an entry that is not changed stays as it is, to the order of its keys', () => {
  expect(JSON.stringify(editedEntry(ENTRY, VALUES))).toBe(JSON.stringify(ENTRY));
});

test('a value is changed in its place, a new one comes last, an empty one goes', () => {
  const prices = { prompt: '3', completion: '', image: '0.04' };
  expect(JSON.stringify(editedEntry(ENTRY, { name: '', context: '8192', prices }))).toBe(
    JSON.stringify({
      description: 'A model.',
      pricing: { prompt: '3', image: '0.04' },
      routes: [],
      context_length: 8192,
    }),
  );
});

test('without any price left there is no pricing', () => {
  expect(editedEntry(ENTRY, { ...VALUES, prices: { prompt: '', completion: '' } })).not.toHaveProperty('pricing');
});
