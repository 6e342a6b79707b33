// Sounds in the format that they state, and recordings whose length comes back.

import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../server.ts';

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => simulator.close());

const speak = async (response_format: 'wav' | 'mp3' | 'pcm', model = 'tts'): Promise<Buffer> => {
  const answer = await client.audio.speech.create({ model, voice: 'alloy', input: 'x'.repeat(50), response_format });
  return Buffer.from(await answer.arrayBuffer());
};

test('a WAV file has the length that its head says', async () => {
  const file = await speak('wav');
  expect(file.toString('latin1', 0, 4)).toBe('RIFF');
  expect(file.readUInt32LE(40)).toBe(file.length - 44);
  expect((await speak('pcm')).equals(file.subarray(44))).toBe(true);
});

test('an MP3 file is frames from one end to the other', async () => {
  const file = await speak('mp3');
  for (let at = 0; at < file.length; at += 417) expect(file.readUInt16BE(at)).toBe(0xfffb);
  expect(file.length % 417).toBe(0);
});

test('a recording is as long as it is, in every format', async () => {
  const file = await toFile(await speak('wav'), 'a.wav');
  const plain = await client.audio.transcriptions.create({ model: 'whisper', file });
  expect(plain).toEqual({ text: 'A simulated transcription of 3 seconds.', usage: { type: 'duration', seconds: 3 } });
  const tokens = await client.audio.transcriptions.create({ model: 'gpt-transcribe', file });
  expect(tokens.usage).toMatchObject({ type: 'tokens', input_tokens: 30, output_tokens: 10 });
  const srt = await client.audio.transcriptions.create({ model: 'whisper', file, response_format: 'srt' });
  expect(srt).toBe('1\n00:00:00,000 --> 00:00:03,000\nA simulated transcription of 3 seconds.\n\n');
  const vtt = await client.audio.transcriptions.create({ model: 'whisper', file, response_format: 'vtt' });
  expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.000 -->/);
});

test('length, cost and size on command, and a form is remembered', async () => {
  const file = await toFile(Buffer.from('sound'), 'a.mp3');
  const answer = await client.audio.transcriptions.create({ model: 'sim-seconds-60+cost-360', file, language: 'en' });
  expect(answer.usage).toEqual({ type: 'duration', seconds: 60, cost: 0.00036 });
  expect(simulator.requests.at(-1)?.form?.fields).toMatchObject({ language: 'en' });
  expect(simulator.requests.at(-1)?.form?.files[0]?.bytes.toString()).toBe('sound');
  expect(await speak('wav', 'sim-size-100')).toHaveLength(100);
});

test('mistakes are refused', async () => {
  const file = await toFile(Buffer.from('sound'), 'a.mp3');
  const odd = client.audio.transcriptions.create({ model: 'w', file, response_format: 'odd' as 'json' });
  await expect(odd).rejects.toMatchObject({ status: 400 });
  await expect(client.audio.speech.create({ model: 't', voice: 'v', input: '' })).rejects.toMatchObject({
    status: 400,
  });
});
