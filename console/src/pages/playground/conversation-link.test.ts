import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { NO_SETTINGS } from './call-body.ts';
import type { Conversation } from './conversation.ts';
import { fragmentOf, readFragment } from './conversation-link.ts';

const conversationOf = (text: string): Conversation => ({
  models: ['openai/gpt-4o-mini'],
  settings: { ...NO_SETTINGS, functions: [{ name: 'weather', description: '', parameters: '{}' }] },
  columns: [
    [
      {
        question: { text, pictures: ['data:image/png;base64,AA'], results: [{ callId: 'c', text: 'dry' }] },
        answer: { text: 'Grüße ☂', calls: [{ id: 'c', name: 'weather', arguments: '{}' }] },
      },
    ],
  ],
});
const packed = (value: unknown): string =>
  `#conversation=${deflateRawSync(Buffer.from(JSON.stringify(value))).toString('base64url')}`;

test('a link restores all that was said, without pictures', async () => {
  const fragment = await fragmentOf(conversationOf('Hi'));
  const read = await readFragment(fragment ?? '');
  expect(read?.columns[0]?.[0]?.answer).toEqual(conversationOf('Hi').columns[0]?.[0]?.answer);
  expect(read?.columns[0]?.[0]?.question).toEqual({
    text: 'Hi',
    pictures: [],
    results: [{ callId: 'c', text: 'dry' }],
  });
  expect(read?.settings).toEqual(conversationOf('Hi').settings);
});

test('a conversation that is too long for an address has no link', async () => {
  const noise = Array.from({ length: 20_000 }, (_, index) => ((index * 7_919) % 65_521).toString(36)).join('');
  expect(await fragmentOf(conversationOf(noise))).toBeNull();
});

test.each([
  ['another fragment', '#top'],
  ['no base64', '#conversation=%%%'],
  ['nothing that was packed', '#conversation=AAAA'],
  ['more than it looks like', packed({ ...conversationOf('a'.repeat(1_000_000)) })],
  ['another shape', packed({ models: 'all' })],
  ['a number for a text', packed({ ...conversationOf('Hi'), models: [7] })],
  ['too many columns', packed({ ...conversationOf('Hi'), columns: [[], [], [], []] })],
])('%s is nothing', async (_, fragment) => {
  expect(await readFragment(fragment)).toBeNull();
});
