// Whatever order and spelling other dialects allow, this API gets the order and spelling that it requires, and nothing
// is lost.

import { describe, expect, test } from 'vitest';
import type { Message, ToolResultPart } from '../../../canonical/conversation.ts';
import { encodeTurns } from './encode-turns.ts';

const system = (text: string): Message => ({ role: 'system', parts: [{ type: 'text', text }] });
const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] });
const assistant = (text: string): Message => ({ role: 'assistant', parts: [{ type: 'text', text }] });
const call = (id: string, argumentsText = '{}'): Message => ({
  role: 'assistant',
  parts: [{ type: 'tool-call', id, name: 'f', argumentsText }],
});
const result = (callId: string, text: string, change: Partial<ToolResultPart> = {}): Message => ({
  role: 'tool',
  parts: [{ type: 'tool-result', callId, content: [{ type: 'text', text }], isError: false, ...change }],
});
const text = (words: string) => ({ type: 'text', text: words });
const toolUse = (id: string, input = {}) => ({ type: 'tool_use', id, name: 'f', input });
const toolResult = (id: string, words: string) => ({ type: 'tool_result', tool_use_id: id, content: [text(words)] });
const turnsOf = (...messages: Message[]) => encodeTurns(messages).turns;

describe('instructions', () => {
  test('CHAT-24 the leading ones are the system prompt, block by block', () => {
    expect(encodeTurns([system('One.'), system('Two.'), user('Hi')])).toEqual({
      system: [text('One.'), text('Two.')],
      turns: [{ role: 'user', content: [text('Hi')] }],
    });
  });

  test('later ones keep their place and are told apart from what the user says', () => {
    expect(turnsOf(user('Hi'), assistant('Yes?'), system('Now in French.'), user('Go on'))).toEqual([
      { role: 'user', content: [text('Hi')] },
      { role: 'assistant', content: [text('Yes?')] },
      { role: 'user', content: [text('<system>\nNow in French.\n</system>'), text('Go on')] },
    ]);
  });

  test('a prompt of instructions alone becomes what the user says', () => {
    expect(encodeTurns([system('Say hello.')])).toEqual({
      system: [],
      turns: [{ role: 'user', content: [text('Say hello.')] }],
    });
  });
});

describe('turns', () => {
  test('several messages of one side in a row are one turn', () => {
    expect(turnsOf(user('a'), user('b'), assistant('c'), assistant('d'), user('e'))).toEqual([
      { role: 'user', content: [text('a'), text('b')] },
      { role: 'assistant', content: [text('c'), text('d')] },
      { role: 'user', content: [text('e')] },
    ]);
  });

  test('blank text is left out, and a message of nothing else does not part two turns', () => {
    expect(turnsOf(user('a'), assistant(''), user(' \n'), user('b'))).toEqual([
      { role: 'user', content: [text('a'), text('b')] },
    ]);
    expect(encodeTurns([system(''), user('a')]).system).toEqual([]);
  });

  test('CHAT-27 a partial answer stays last, without the white space at its end', () => {
    expect(turnsOf(user('Sum?'), assistant('The sum is \n'))).toEqual([
      { role: 'user', content: [text('Sum?')] },
      { role: 'assistant', content: [text('The sum is')] },
    ]);
    expect(turnsOf(user('a'), assistant('b \n'), user('c'))[1]).toEqual({ role: 'assistant', content: [text('b \n')] });
  });
});

describe('tools', () => {
  test('TOOL-07 parallel calls and their results meet, results first in the turn that follows', () => {
    const turns = turnsOf(
      user('Go'),
      call('a'),
      call('b'),
      user('Wait'),
      result('b', '2'),
      system('Hurry'),
      result('a', '1'),
    );
    expect(turns).toEqual([
      { role: 'user', content: [text('Go')] },
      { role: 'assistant', content: [toolUse('a'), toolUse('b')] },
      {
        role: 'user',
        content: [toolResult('b', '2'), toolResult('a', '1'), text('Wait'), text('<system>\nHurry\n</system>')],
      },
    ]);
  });

  test('TOOL-06 the text of the arguments becomes an object', () => {
    const [turn] = turnsOf(call('a', '{"city":"Zürich","deep":{"x":[1,2]}}'));
    expect(turn?.content).toEqual([toolUse('a', { city: 'Zürich', deep: { x: [1, 2] } })]);
  });

  test('a failed result says so and is never empty, an empty one has no content, media stay inside', () => {
    const image = { type: 'image' as const, source: { kind: 'url' as const, url: 'https://x.test/a.png' } };
    const turns = turnsOf(call('a'), result('a', '', { isError: true }), result('b', 'seen', { content: [image] }));
    expect(turns[1]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: [text('Error')], is_error: true },
      {
        type: 'tool_result',
        tool_use_id: 'b',
        content: [{ type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } }],
      },
    ]);
  });

  test("other vendors' ids are spelled in signs that are allowed, alike on both sides", () => {
    const [asked, answered] = turnsOf(call('functions.f:0'), result('functions.f:0', 'x'));
    const id = asked?.content[0]?.id;
    expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(answered?.content[0]?.tool_use_id).toBe(id);
    const other = turnsOf(call('functions:f.0'))[0]?.content[0]?.id;
    expect(other).not.toBe(id);
  });
});

describe('thinking', () => {
  test('comes back with its proof, in its place', () => {
    const [turn] = turnsOf({
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'Hm.', signature: 'sig==' },
        { type: 'reasoning', text: '', redactedData: 'data==' },
        { type: 'reasoning', text: '', signature: 'silent==' },
        { type: 'text', text: 'So.' },
      ],
    });
    expect(turn?.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'sig==' },
      { type: 'redacted_thinking', data: 'data==' },
      { type: 'thinking', thinking: '', signature: 'silent==' },
      text('So.'),
    ]);
  });

  test('without proof, or with that of another vendor, it stays here', () => {
    const [turn] = turnsOf({
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'reasoning', text: 'Hm.', signature: '' },
        { type: 'reasoning', text: 'Hm.', itemId: 'rs_1', encryptedContent: 'gAAA' },
        { type: 'text', text: 'So.' },
      ],
    });
    expect(turn?.content).toEqual([text('So.')]);
  });
});

describe('media', () => {
  const blocksOf = (...parts: Extract<Message, { role: 'user' }>['parts']) =>
    turnsOf({ role: 'user', parts })[0]?.content;

  test('CHAT-29 images by URL and as data, in their order', () => {
    const blocks = blocksOf(
      { type: 'image', source: { kind: 'url', url: 'https://x.test/a.png' }, detail: 'high' },
      { type: 'text', text: 'and' },
      { type: 'image', source: { kind: 'base64', mediaType: 'image/jpg', data: 'QUJD' } },
    );
    expect(blocks).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
      text('and'),
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'QUJD' } },
    ]);
  });

  test('CHAT-30 files by URL and as data, with their names; plain text and images in their own form', () => {
    const blocks = blocksOf(
      { type: 'file', source: { kind: 'base64', mediaType: 'application/pdf', data: 'JVBE' }, filename: 'a.pdf' },
      { type: 'file', source: { kind: 'url', url: 'https://x.test/b.pdf' } },
      { type: 'file', source: { kind: 'base64', mediaType: 'text/plain', data: 'w7w=' }, filename: ' ' },
      { type: 'file', source: { kind: 'base64', mediaType: 'image/png', data: 'iVBO' } },
    );
    expect(blocks).toEqual([
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }, title: 'a.pdf' },
      { type: 'document', source: { type: 'url', url: 'https://x.test/b.pdf' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ü' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } },
    ]);
  });

  test('CHAT-31 CHAT-32 sound and film are refused, not dropped', () => {
    expect(() => blocksOf({ type: 'audio', data: 'QUJD', format: 'wav' })).toThrow(/does not take audio/);
    expect(() => blocksOf({ type: 'video', source: { kind: 'url', url: 'https://x.test/a.mp4' } })).toThrow(/video/);
  });
});

test('CHAT-40 markers travel with every kind of block as sent, and none is added', () => {
  const cacheControl = { type: 'ephemeral', ttl: '1h', future: true };
  const source = { kind: 'url' as const, url: 'https://x.test/a' };
  const conversation: Message[] = [
    { role: 'system', parts: [{ type: 'text', text: 'a', cacheControl }] },
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'b', cacheControl },
        { type: 'image', source, cacheControl },
        { type: 'file', source, cacheControl },
      ],
    },
    { role: 'assistant', parts: [{ type: 'tool-call', id: 'c', name: 'f', argumentsText: '', cacheControl }] },
    {
      role: 'tool',
      parts: [
        {
          type: 'tool-result',
          callId: 'c',
          content: [{ type: 'text', text: 'd', cacheControl }],
          isError: false,
          cacheControl,
        },
      ],
    },
    { role: 'system', parts: [{ type: 'text', text: 'e', cacheControl }] },
  ];
  const count = (value: unknown) => JSON.stringify(value).split(JSON.stringify(cacheControl)).length - 1;
  expect(count(encodeTurns(conversation))).toBe(8);
  const bare = JSON.parse(JSON.stringify(conversation, (key, value) => (key === 'cacheControl' ? undefined : value)));
  expect(JSON.stringify(encodeTurns(bare))).not.toContain('cache_control');
});
