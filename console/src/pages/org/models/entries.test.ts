import { expect, test } from 'vitest';
import { entriesToChoose } from './entries.ts';

test('providers come first, each once, and a model without a provider makes none', () => {
  expect(entriesToChoose(['b/two', 'a/one', 'b/three', 'auto'])).toEqual([
    'a/*',
    'b/*',
    'b/two',
    'a/one',
    'b/three',
    'auto',
  ]);
});
