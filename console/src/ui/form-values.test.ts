import { expect, test } from 'vitest';
import { amountIn, amountText, linesIn, textIn, textOrNull } from './form-values.ts';

const formOf = (values: Record<string, string>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.set(name, value);
  return form;
};

test('an empty amount is no limit, and zero is a limit', () => {
  const form = formOf({ none: ' ', zero: '0', some: '12.5' });
  expect(['none', 'zero', 'some', 'absent'].map((name) => amountIn(form, name))).toEqual([null, 0, 12.5, null]);
  expect([null, 0, 12.5].map(amountText)).toEqual(['', '0', '12.5']);
});

test('texts are trimmed, and nothing typed is nothing', () => {
  const form = formOf({ name: '  Blue ', empty: '   ' });
  expect([textIn(form, 'name'), textOrNull(form, 'empty'), textIn(form, 'absent')]).toEqual(['Blue', null, '']);
});

test('lists are parted by lines and commas', () => {
  expect(linesIn(formOf({ list: ' a b, c\n\n d,' }), 'list')).toEqual(['a b', 'c', 'd']);
});
