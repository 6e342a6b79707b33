// What reviewers see of requests that are not conversations, and that their changes reach the upstream.

import { expect, test } from 'vitest';
import { type Passage, passagesOf } from '../canonical/passage.ts';
import type { UploadedFile } from '../canonical/submission.ts';
import { parseEmbeddingsRequest } from './embeddings/parse-request.ts';
import { parseSpeechRequest } from './speech/parse-request.ts';
import { parseTranscriptionRequest } from './transcription/parse-request.ts';

const image = { type: 'image_url', image_url: { url: 'https://pictures.test/a.png' } };
const shout = (text: string): string => text.toUpperCase();
const wordsOf = (passages: readonly Passage[]): readonly string[] => passages.flatMap(({ parts }) => parts);

test('FILT-01 FILT-05 embeddings: every text, and neither images nor token ids', () => {
  const request = parseEmbeddingsRequest({
    model: 'acme/one',
    input: ['one', { content: [{ type: 'text', text: 'two' }, image] }, 'three'],
  });
  expect(wordsOf(passagesOf(request))).toEqual(['one', 'two', 'three']);
  expect(request.withTexts(shout).body.input).toEqual([
    'ONE',
    { content: [{ type: 'text', text: 'TWO' }, image] },
    'THREE',
  ]);
  const ids = parseEmbeddingsRequest({ model: 'acme/one', input: [[1, 2], [3]] });
  expect(wordsOf(passagesOf(ids))).toEqual([]);
  expect(ids.withTexts(shout).body.input).toEqual([[1, 2], [3]]);
});

test('FILT-01 FILT-05 speech: what is said and how; the price follows the changed text', () => {
  const request = parseSpeechRequest({ model: 'acme/one', voice: 'v', input: 'say it', instructions: 'softly' });
  expect(wordsOf(passagesOf(request))).toEqual(['say it', 'softly']);
  const changed = request.withTexts((text) => (text === 'say it' ? 'x' : shout(text)));
  expect(changed).toMatchObject({ body: { input: 'x', instructions: 'SOFTLY' }, unitsMax: { characters: 1 } });
});

test('FILT-01 FILT-05 transcriptions: the prompt, in a form too', () => {
  const file = { fieldName: 'file', byteLength: 10, head: Buffer.alloc(0) } as UploadedFile;
  const body = { model: 'acme/one', prompt: 'names', temperature: '0.5' };
  const request = parseTranscriptionRequest({ body, files: [file], isForm: true });
  expect(wordsOf(passagesOf(request))).toEqual(['names']);
  expect(request.withTexts(shout)).toMatchObject({ body: { prompt: 'NAMES', temperature: 0.5 }, file });
  const silent = parseTranscriptionRequest({ body: { model: 'acme/one' }, files: [file], isForm: true });
  expect(wordsOf(passagesOf(silent))).toEqual([]);
});
