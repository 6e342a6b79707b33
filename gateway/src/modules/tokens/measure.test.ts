// Everything that the model reads is measured, in every dialect, and nothing else.

import { describe, expect, test } from 'vitest';
import { measureContent, measureEach, measureFrame } from './measure.ts';

const payload = 'A'.repeat(40_000);

describe('text', () => {
  test.each([
    ['a string', { role: 'user', content: 'Hello there' }, ['Hello there']],
    [
      'parts',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'One' },
          { type: 'input_text', text: 'Two' },
        ],
      },
      ['One', 'Two'],
    ],
    [
      'a call in chat',
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"x":1}' } }],
      },
      ['find', '{"x":1}'],
    ],
    [
      'a call in Messages',
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'find', input: { place: 'Oslo' } }] },
      ['find', '{"place":"Oslo"}'],
    ],
    [
      'a call in Responses',
      { type: 'function_call', call_id: 'call_1', name: 'find', arguments: '{}' },
      ['find', '{}'],
    ],
    ['thinking without its seal', { content: [{ type: 'thinking', thinking: 'Hm.', signature: payload }] }, ['Hm.']],
    [
      'a document written out',
      { content: [{ type: 'document', source: { type: 'text', data: 'Page one.' } }] },
      ['Page one.'],
    ],
    ['nothing', { role: 'assistant', content: null }, []],
  ])('%s', (_, content, texts) => {
    const measure = measureContent(content);
    expect(measure.texts).toEqual(texts);
    expect(measure.textLength).toBe(texts.join('').length);
    expect(measure.mediaTokens).toBe(0);
    expect(measure.overheadTokens).toBeGreaterThan(0);
  });
});

describe('media are never counted as their base64', () => {
  test.each([
    ['a picture in chat', { type: 'image_url', image_url: { url: `data:image/png;base64,${payload}` } }],
    ['a picture in Responses', { type: 'input_image', image_url: `data:image/png;base64,${payload}` }],
    ['a picture in Messages', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: payload } }],
    ['a remote picture', { type: 'image_url', image_url: { url: 'https://example.test/a.png' } }],
    ['a file', { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${payload}` } }],
    ['sound', { type: 'input_audio', input_audio: { data: payload, format: 'wav' } }],
    ['a film', { type: 'video_url', video_url: { url: `data:video/mp4;base64,${payload}` } }],
  ])('%s', (_, part) => {
    const measure = measureContent({ role: 'user', content: [{ type: 'text', text: 'Look' }, part] });
    expect(measure.texts).toEqual(['Look']);
    expect(measure.mediaTokens).toBeGreaterThan(20);
    expect(measure.mediaTokens).toBeLessThan(2_000);
  });
});

test('tools and schemas are measured as the JSON they are, with integers of any size', () => {
  const tool = { name: 'find', parameters: { properties: { id: { const: 2n ** 60n } } } };
  const { texts } = measureFrame(['Be brief.', [tool], undefined, null]);
  expect(texts).toEqual([
    'Be brief.',
    '[{"name":"find","parameters":{"properties":{"id":{"const":1152921504606846976}}}}]',
  ]);
});

test('nesting beyond all measure is cut off rather than followed', () => {
  let deep: unknown = 'x';
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(measureContent({ content: deep }).texts).toEqual([]);
});

test('a conversation of megabytes is measured without holding up the rest', async () => {
  const messages = Array.from({ length: 3_000 }, () => ({ role: 'user', content: 'some words '.repeat(100) }));
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 0);
  const measures = await measureEach(messages);
  clearInterval(counting);
  expect(measures).toEqual(messages.map(measureContent));
  expect(turns).toBeGreaterThan(2);
});
