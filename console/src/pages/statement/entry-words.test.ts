// The words of a statement.

import { expect, test } from 'vitest';
import type { StatementEntry } from '../../api/statement.ts';
import { formatUsd } from '../../ui/format.ts';
import { aboutText, kindText, signedUsd } from './entry-words.ts';

const entry: StatementEntry = {
  ...{ id: '1', at: '2030-01-01T00:00:00.000Z', kind: 'charge', amountUsd: -1, balanceUsd: 2 },
  ...{ note: null, reference: null, generationId: 'gen-1', model: 'openai/test', calls: null },
};

test('a note goes before the number of calls, and that before the model', () => {
  expect(aboutText(entry)).toBe('openai/test');
  expect(aboutText({ ...entry, calls: 1 })).toBe('1 call');
  expect(aboutText({ ...entry, calls: 1200 })).toBe('1,200 calls');
  expect(aboutText({ ...entry, calls: 2, note: 'why' })).toBe('why');
  expect(aboutText({ ...entry, model: null })).toBe('');
});

test('amounts carry their sign', () => {
  expect(signedUsd(1, formatUsd)).toBe('+$1.00');
  expect(signedUsd(-0.25, formatUsd)).toBe('-$0.25');
  expect(signedUsd(0, formatUsd)).toBe('$0.00');
  expect(kindText('top_up')).toBe('Top-up');
});
