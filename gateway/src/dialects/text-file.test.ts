// Reviewers read text files that a request holds in base64, and what they change is what is sent.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../canonical/json.ts';
import { passagesOf, saidIn } from '../canonical/passage.ts';
import { type ConversationRequest, prepareTexts } from '../canonical/request.ts';
import { parseChatRequest } from './chat/parse-request.ts';
import { parseMessagesRequest } from './messages/parse-request.ts';
import { parseResponsesRequest } from './responses/parse-request.ts';

const base64 = (content: string | Buffer): string => Buffer.from(content).toString('base64');
const turn = (part: JsonObject) => [{ role: 'user', content: [part] }];
const addressOf = (type: string, content: string | Buffer) => `data:${type};base64,${base64(content)}`;

type Holding = (mediaType: string, content: string | Buffer) => ConversationRequest;

const chat: Holding = (type, content) =>
  parseChatRequest({
    model: 'a/b',
    messages: turn({ type: 'file', file: { filename: 'F', file_data: addressOf(type, content) } }),
  });
const responses: Holding = (type, content) =>
  parseResponsesRequest({
    model: 'a/b',
    input: turn({ type: 'input_file', filename: 'F', file_data: addressOf(type, content) }),
  });
const messages: Holding = (type, content) => {
  const source = { type: 'base64', media_type: type, data: base64(content) };
  return parseMessagesRequest({
    model: 'a/b',
    max_tokens: 5,
    messages: turn({ type: 'document', title: 'F', source }),
  });
};
const returned: Holding = (type, content) => {
  const source = { type: 'base64', media_type: type, data: base64(content) };
  const result = { type: 'tool_result', tool_use_id: 't', content: [{ type: 'document', title: 'F', source }] };
  const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] };
  return parseMessagesRequest({ model: 'a/b', max_tokens: 5, messages: [call, ...turn(result)] });
};

const holders = { chat, responses, messages, returned };
const wordsIn = (request: ConversationRequest) => passagesOf(request).flatMap(({ parts }) => parts);
const withoutHerons = (request: ConversationRequest) =>
  request.withTexts((part) => part.replace('heron', '[REDACTED]'));

describe.each(Object.entries(holders))('FILT-05 FILT-08 a file in %s', (_name, hold) => {
  test.each([
    ['text/plain', 'A heron, für 5 €.'],
    ['text/plain;charset=utf-8', 'A heron.'],
    ['text/markdown', '# A heron'],
    ['text/csv', 'bird,count\r\nheron,1\r\n'],
    ['application/json', '{"bird": "heron"}'],
    ['application/ld+json', '{"bird": "heron"}'],
    ['image/svg+xml', '<svg>heron</svg>'],
    ['application/octet-stream', 'A heron.'],
    ['application/vnd.ms-excel', 'bird,count\nheron,1\n'],
  ])('of %s is read, and sent as it was changed', (type, content) => {
    const request = hold(type, content);
    expect(wordsIn(request).toSorted()).toEqual([content, 'F'].toSorted());
    const changed = withoutHerons(request);
    expect(wordsIn(changed)).toContain(content.replace('heron', '[REDACTED]'));
    const sent = JSON.stringify(changed.body);
    expect(sent).toContain(base64(content.replace('heron', '[REDACTED]')));
    expect(sent).not.toContain(base64(content));
    expect(request.withTexts((part) => part).body).toBe(request.body);
  });

  test.each([
    ['application/pdf', '%PDF-1.7 heron'],
    ['application/octet-stream', '%PDF-1.7 heron'],
    ['image/png', 'heron'],
    ['application/zip', Buffer.from('PK\x03\x04heron')],
  ])('of %s is not', (type, content) => {
    expect(wordsIn(hold(type, content))).toEqual(['F']);
  });
});

test.each([
  ['two bytes a letter', Buffer.from('\ufeffA heron, für 5 €.', 'utf16le'), 'utf16le'],
  ['one byte a letter', Buffer.from('A heron, für 5.', 'latin1'), 'latin1'],
] as const)('a file with %s is read, and keeps them', (_name, content, encoding) => {
  const words = content.toString(encoding);
  expect(wordsIn(chat('text/plain', content))).toContain(words);
  const sent = JSON.stringify(withoutHerons(chat('text/plain', content)).body);
  expect(sent).toContain(base64(Buffer.from(words.replace('heron', '[REDACTED]'), encoding)));
});

test('what a reviewer puts into a file of one byte a letter need not fit it', () => {
  const request = chat('text/plain', Buffer.from('heron für', 'latin1'));
  const sent = request.withTexts((part) => part.replace('heron', '鷺'));
  expect(wordsIn(sent)).toContain('鷺 für');
});

test('long files are decoded in turns before they are read, and short ones when they are', async () => {
  expect(prepareTexts(chat('text/plain', 'A heron.'), 'one')).toBeUndefined();
  expect(prepareTexts(chat('image/png', Buffer.alloc(1_000_000)), 'one')).toBeUndefined();
  for (const words of ['A heron. ', 'für 5 € ', '鷺'] as const) {
    const content = words.repeat(400_000 / words.length);
    const request = chat('text/plain', content);
    const preparing = prepareTexts(request, 'one');
    expect(preparing).toBeInstanceOf(Promise);
    await preparing;
    expect(wordsIn(request).includes(content)).toBe(true);
    expect(wordsIn(chat('text/plain', content)).includes(content)).toBe(true);
  }
});

test('what stands beside a file does not hide it', async () => {
  const content = 'A heron. '.repeat(20_000);
  const decoy = { type: 'base64', media_type: 'text/plain', data: base64('Nothing. '.repeat(20_000)) };
  const file = { ...decoy, filename: 'F', file_data: addressOf('text/plain', content) };
  const request = parseChatRequest({ model: 'a/b', messages: turn({ type: 'file', file }) });
  await prepareTexts(request, 'one');
  expect(wordsIn(request).includes(content)).toBe(true);
  expect(JSON.stringify(withoutHerons(request).body)).toContain(base64(content.replace('heron', '[REDACTED]')));
});

test('transcripts have no files', () => {
  expect(saidIn(chat('text/plain', 'A heron.')).flatMap(({ parts }) => parts)).toEqual(['F']);
});
