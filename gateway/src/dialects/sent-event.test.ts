// Events of streams that are passed on are read as a client reads them.

import { expect, test } from 'vitest';
import { parseEventData, readEvent } from './sent-event.ts';

test('an event is its name and the lines of its data; comments are none', () => {
  expect(readEvent('\u00ef\u00bb\u00bfevent: e\ndata:1\ndata: 2')).toEqual({ name: 'e', data: '1\n2' });
  expect(readEvent('data: [DONE] ')).toEqual({ name: '', data: '[DONE]' });
  expect([readEvent(': ping'), readEvent('data: '), readEvent('')]).toEqual([null, null, null]);
});

test('data that nests without end is refused before it is parsed', () => {
  const nested = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  expect(parseEventData(nested(100))).not.toBeNull();
  expect(parseEventData(nested(200))).toBeNull();
  expect(parseEventData('[1]')).toBeNull();
});
