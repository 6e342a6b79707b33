// What a stream is charged for, whichever of its frames state it.

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../canonical/json.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { createGeminiStreamDecoder } from './decode-stream.ts';

type Part = Extract<StreamPart, { type: 'usage' }>;

const isUsage = (part: StreamPart): part is Part => part.type === 'usage';

/** What was stated; of a stream that `isCut`, before its connection was lost. */
function usagesOf(frames: readonly JsonObject[], isCut = false): readonly Part['usage'][] {
  const decoder = createGeminiStreamDecoder();
  const bytes = Buffer.from(frames.map((json) => `data: ${JSON.stringify(json)}\r\n\r\n`).join(''));
  const parts = decoder.push(bytes);
  return (isCut ? parts : [...parts, ...decoder.end()]).filter(isUsage).map(({ usage }) => usage);
}

const candidate = { content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' };
const finish = { candidates: [candidate] };

test('BILL-09 counts that come after the finish are the ones that hold', () => {
  const usages = usagesOf([
    { ...finish, usageMetadata: { promptTokenCount: 3 } },
    { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 } },
  ]);
  expect(usages.at(-1)).toMatchObject({ completionTokens: 2 });
});

const usageMetadata = { promptTokenCount: 3, thoughtsTokenCount: 40, totalTokenCount: 43 };
const counts = { candidates: [], usageMetadata };
const payment = { usageMetadata: { trafficType: 'ON_DEMAND' } };

test.each<[string, JsonObject[]]>([
  ['states none', [counts, finish]],
  ['says only how the call is paid', [counts, payment, { ...finish, ...payment }, payment]],
  ['states others', [{ usageMetadata: { promptTokenCount: 0 } }, { ...finish, usageMetadata }]],
])('BILL-09 F30 counts hold where the frame with the finish %s, also when the connection is lost then', (_, frames) => {
  for (const isCut of [false, true]) expect(usagesOf(frames, isCut)).toMatchObject([{ completionTokens: 40 }]);
});

test('BILL-09 searches count that come after the counts of tokens', () => {
  const searched = { candidates: [{ ...candidate, groundingMetadata: { webSearchQueries: ['a', 'b'] } }] };
  for (const frames of [
    [counts, searched],
    [{ ...finish, usageMetadata }, searched],
  ]) {
    expect(usagesOf(frames).at(-1)).toMatchObject({ completionTokens: 40, units: { webSearches: 2 } });
  }
});

test('BILL-09 searches are counted as they are billed: without empty ones, the same once, or as the record says', () => {
  const searchesOf = (queries: unknown, more: JsonObject = {}, modelVersion = 'gemini-3-pro') => {
    const grounded = { ...candidate, finishReason: 'STOP', groundingMetadata: { webSearchQueries: queries } };
    const frame = { candidates: [grounded], usageMetadata: { ...usageMetadata, ...more }, modelVersion };
    return usagesOf([frame]).at(-1)?.units?.webSearches;
  };
  expect(searchesOf(['', 'largest city', ' ', 'largest city ', 'second city', 7])).toBe(2);
  expect(searchesOf([''])).toBeUndefined();
  const billed = (tool: string, count: unknown) => ({ billedToolCalls: [{ tool, successfulToolCallCount: count }] });
  expect(searchesOf(['a'], billed('GOOGLE_SEARCH_RETRIEVAL', 3))).toBe(3);
  expect(searchesOf(undefined, billed('google_search', 2))).toBe(2);
  expect(searchesOf(undefined, billed('google_search', 2), 'gemini-2.5-flash')).toBe(1);
  expect(searchesOf(['a'], billed('URL_CONTEXT', 5))).toBe(1);
  expect(searchesOf(['a'], billed('google_search', -1))).toBe(1);
});

test('STRM-06 where every frame states an end, only the end of the stream tells which was the last', () => {
  const frame = Buffer.from(`data: ${JSON.stringify({ ...finish, usageMetadata })}\n\n`);
  const finishes = (count: number, isCut: boolean) => {
    const decoder = createGeminiStreamDecoder();
    const parts = Array.from({ length: count }, () => decoder.push(frame)).flat();
    const all = isCut ? parts : [...parts, ...decoder.end()];
    return [all.findLast(({ type }) => type === 'finish'), all.at(-1)?.type];
  };
  const sure = { type: 'finish', reason: 'stop', native: 'STOP', stopSequence: null };
  expect(finishes(1, true)).toEqual([sure, 'usage']);
  expect(finishes(3, true)).toEqual([{ ...sure, isUnsure: true }, 'usage']);
  expect(finishes(3, false)).toEqual([{ ...sure, isUnsure: true }, 'done']);
});
