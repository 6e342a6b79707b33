// Lines come out whole, wherever the chunks that bring them end.

import { expect, test } from 'vitest';
import { LineCutter } from './line-cutter.ts';

const TEXT = '{"a":"é"}\n\n{"b":"漢字"}\r\n{"c":1}';
const LINES = ['{"a":"é"}', '', '{"b":"漢字"}\r', '{"c":1}'];

test('cuts the same lines whatever the size of the chunks', () => {
  const bytes = Buffer.from(TEXT);
  for (let size = 1; size <= bytes.length; size += 1) {
    const cutter = new LineCutter();
    const lines: string[] = [];
    for (let start = 0; start < bytes.length; start += size) {
      lines.push(...cutter.push(bytes.subarray(start, start + size)));
    }
    lines.push(cutter.end());
    expect(lines, `in chunks of ${size}`).toEqual(LINES);
  }
});

test('tells how many bytes wait for the end of their line', () => {
  const cutter = new LineCutter();
  expect([...cutter.push(Buffer.from('ab\ncde'))]).toEqual(['ab']);
  expect(cutter.restBytes).toBe(3);
  expect([...cutter.push(Buffer.from('fg'))]).toEqual([]);
  expect(cutter.restBytes).toBe(5);
  expect([...cutter.push(Buffer.from('\n'))]).toEqual(['cdefg']);
  expect(cutter.restBytes).toBe(0);
  expect(cutter.end()).toBe('');
});
