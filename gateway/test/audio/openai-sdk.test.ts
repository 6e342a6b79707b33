// The openai package, as it is, against embeddings, speech and transcriptions.

import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { embeddingModel } from '../embeddings/embeddings-harness.ts';
import type { Harness } from '../harness.ts';
import { recording, startAudio } from './audio-harness.ts';

let harness: Harness;
let client: OpenAI;
let folder: string;

beforeAll(async () => {
  harness = await startAudio({ models: { 'acme/embed': embeddingModel() } });
  const { key } = await harness.account();
  client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: key, maxRetries: 0 });
  folder = await mkdtemp(join(tmpdir(), 'tollgate-recordings-'));
});
afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
  await rm(folder, { recursive: true });
});

test('EMB-01 EMB-04 it asks for base64 by itself and decodes what it gets', async () => {
  const binary = await client.embeddings.create({ model: 'acme/embed', input: ['one', 'two'] });
  expect(harness.simulator.requests.at(-1)?.json).toMatchObject({ encoding_format: 'base64' });
  const plain = await client.embeddings.create({
    model: 'acme/embed',
    input: ['one', 'two'],
    encoding_format: 'float',
  });
  expect(binary.data.map(({ embedding }) => Array.from(embedding))).toEqual(
    plain.data.map(({ embedding }) => embedding),
  );
  expect(binary.usage.total_tokens).toBe(2);
});

test('EMB-03 EMB-04 token ids and dimensions', async () => {
  const answer = await client.embeddings.create({ model: 'acme/embed', input: [[1, 2], [3]], dimensions: 16 });
  expect(answer.data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
    [0, 16],
    [1, 16],
  ]);
  expect(answer.usage.prompt_tokens).toBe(3);
});

test('AUD-04 a transcription in events, at the same price', async () => {
  const asked = { model: 'acme/listener', file: await toFile(recording(2), 'a.wav') };
  const { text, usage } = await client.audio.transcriptions.create(asked);
  const events = [];
  for await (const event of await client.audio.transcriptions.create({ ...asked, stream: true })) events.push(event);
  expect(events).toEqual([
    { type: 'transcript.text.delta', delta: text },
    { type: 'transcript.text.done', text, usage },
  ]);
  const subtitles = client.audio.transcriptions.create({ ...asked, response_format: 'srt', stream: true } as never);
  await expect(subtitles).rejects.toMatchObject({ status: 400, code: 'unsupported_param' });
});

test('AUD-05 speech, whole and streamed', async () => {
  const whole = await client.audio.speech.create({
    model: 'acme/speaker',
    voice: 'alloy',
    input: 'Hello.',
    response_format: 'wav',
  });
  const bytes = Buffer.from(await whole.arrayBuffer());
  expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
  const streamed = await client.audio.speech.create({ model: 'acme/speaker', voice: 'alloy', input: 'Hello.' });
  const pieces: Buffer[] = [];
  for await (const piece of streamed.body ?? []) pieces.push(Buffer.from(piece as Uint8Array));
  expect(Buffer.concat(pieces).readUInt16BE(0)).toBe(0xfffb);
});

test('AUD-01 AUD-02 AUD-04 transcriptions of a file and of bytes', async () => {
  const path = join(folder, 'talk.wav');
  await writeFile(path, recording(2));
  const plain = await client.audio.transcriptions.create({ model: 'acme/listener', file: createReadStream(path) });
  expect(plain.text).toBe('A simulated transcription of 2 seconds.');
  const verbose = await client.audio.transcriptions.create({
    model: 'acme/listener',
    file: await toFile(recording(2), 'talk.wav'),
    response_format: 'verbose_json',
    timestamp_granularities: ['segment'],
    temperature: 0.4,
    language: 'en',
  });
  expect(verbose.segments?.[0]).toMatchObject({ start: 0, end: 2 });
  const text = await client.audio.transcriptions.create({
    model: 'acme/listener',
    file: await toFile(recording(2), 'talk.wav'),
    response_format: 'text',
  });
  expect(text).toBe('A simulated transcription of 2 seconds.\n');
});

test('ERR-24 a mistake is the SDK’s own kind of error', async () => {
  const call = client.embeddings.create({ model: 'openai/test', input: 'x' });
  await expect(call).rejects.toMatchObject({ status: 400, code: 'model_endpoint_mismatch' });
});
