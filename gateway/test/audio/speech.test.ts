// Speech through the front door: the upstream's bytes arrive unchanged and as they come; the call is charged by the
// character once there is sound, and costs nothing without any.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Harness, Json } from '../harness.ts';
import { speak, speechModel, startAudio } from './audio-harness.ts';

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startAudio({
    models: {
      'acme/per-million': speechModel(undefined, { prompt: '15' }),
      'acme/dripping': speechModel('drip-15+size-160'),
      'acme/broken': speechModel('reset-after-1+size-400000'),
      'acme/endless': speechModel('drip-20+size-4000'),
    },
  });
  ({ key } = await harness.account());
});
beforeEach(() => {
  harness.simulator.clearRequests();
  harness.simulator.clearScripts();
});
afterEach(async () => expect(await harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] }));
afterAll(() => harness.close());

/** Nobody waits for the settlements of clients that have left. */
async function spentAtLast(own: string, expected: number): Promise<void> {
  await expect.poll(() => harness.spent(own)).toBe(expected);
}

describe('AUD-05 the sound', () => {
  test.each([
    ['mp3', 'audio/mpeg', 'fffb90'],
    ['wav', 'audio/wav', '52494646'],
    ['opus', 'audio/ogg', '4f676753'],
    ['aac', 'audio/aac', 'fff1'],
    ['flac', 'audio/flac', '664c6143'],
    ['pcm', 'audio/pcm', '0000'],
  ])('AUD-05 %s comes unchanged, under its own type', async (response_format, type, magic) => {
    const body = { input: 'Hello there', voice: 'alloy', response_format };
    const direct = await fetch(`${harness.simulator.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { Authorization: 'Bearer any' },
      body: JSON.stringify({ model: 'm', ...body }),
    });
    const sound = await speak(harness, key, body);
    expect(sound.status).toBe(200);
    expect(sound.headers.get('content-type')).toBe(type);
    expect(sound.bytes.equals(Buffer.from(await direct.arrayBuffer()))).toBe(true);
    expect(sound.bytes.toString('hex')).toMatch(new RegExp(`^${magic}`));
  });

  test('AUD-05 what was asked is what the upstream hears', async () => {
    const body = { voice: 'nova', response_format: 'wav', speed: 1.5, new_field: [1] };
    await speak(harness, key, { ...body, provider: { order: ['sim'] } });
    const sent = harness.simulator.requests.at(-1);
    expect(sent?.path).toBe('/v1/audio/speech');
    expect(sent?.json).toEqual({ model: 'acme/speaker', input: 'Hello there', ...body });
  });

  test('AUD-05 it is passed on as it comes, and not collected first', async () => {
    const response = await fetch(`${harness.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'acme/dripping', input: 'Hi', voice: 'alloy' }),
    });
    let pieces = 0;
    for await (const _ of response.body ?? []) pieces += 1;
    expect(pieces).toBeGreaterThan(3);
  });
});

describe('AUD-06 the price', () => {
  test('AUD-06 every character counts, and a pair of surrogates is one', async () => {
    const { key: own } = await harness.account();
    const sound = await speak(harness, own, { input: 'Größe 👍🏽' });
    expect(sound.status).toBe(200);
    // Five letters, a blank, a hand and its colour.
    expect(await harness.spent(own)).toBe(0.00012);
    const id = sound.headers.get('x-generation-id');
    const record = await harness.request('GET', `/v1/generation?id=${id}`, { key: own });
    const usage = { units: { characters: 8 }, cost: 0.00012 };
    expect(record.body.data).toMatchObject({ model: 'acme/speaker', operation: 'speech', usage, status: 200 });
  });

  test('AUD-06 without a price per character, the price per million is for characters', async () => {
    const { key: own } = await harness.account();
    await speak(harness, own, { model: 'acme/per-million', input: 'ten chars!' });
    expect(await harness.spent(own)).toBe(0.00015);
  });

  test('BILL-02 who cannot pay for the text is refused before anything is sent', async () => {
    const { key: poor } = await harness.account('0.0001');
    const refused = await speak(harness, poor, { input: 'seven..' });
    expect(refused.status).toBe(402);
    expect(refused.body.error).toMatchObject({ code: 'insufficient_credits' });
    expect(harness.simulator.requests).toEqual([]);
    expect((await speak(harness, poor, { input: 'six...' })).status).toBe(200);
    expect(await harness.spent(poor)).toBe(0.00009);
  });

  test('F28 a sound that breaks off is cut, and costs nothing', async () => {
    const { key: own } = await harness.account();
    await expect(speak(harness, own, { model: 'acme/broken', response_format: 'wav' })).rejects.toThrow();
    expect(await harness.spent(own)).toBe(0);
  });

  test('ABT-1 who leaves after the sound has begun has paid, and the upstream is let go', async () => {
    const { key: own } = await harness.account();
    const leaving = new AbortController();
    const response = await fetch(`${harness.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${own}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'acme/endless', input: 'Hello', voice: 'alloy' }),
      signal: leaving.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    await harness.simulator.waitFor((request) => request.isAborted);
    await spentAtLast(own, 0.000075);
  });
});

describe('AUD-08 AUD-07 what is refused', () => {
  test.each([
    ['no model', { model: undefined }, 'missing_required_field', 'model'],
    ['no input', { input: undefined }, 'missing_required_field', 'input'],
    ['no voice', { voice: undefined }, 'missing_required_field', 'voice'],
    ['null for input', { input: null }, 'missing_required_field', 'input'],
    ['an empty input', { input: '' }, 400, 'input'],
    ['an input that is no text', { input: ['a'] }, 400, 'input'],
    ['a voice that is no name', { voice: 7 }, 400, 'voice'],
    ['a format that is no name', { response_format: 'm p 3' }, 400, 'response_format'],
    ['instructions that are no text', { instructions: {} }, 400, 'instructions'],
    ['a chat model', { model: 'openai/test' }, 'model_endpoint_mismatch', '/v1/chat/completions'],
    ['a model that listens', { model: 'acme/listener' }, 'model_endpoint_mismatch', '/v1/audio/transcriptions'],
    ['an unknown model', { model: 'acme/nobody' }, 'unknown_model', 'acme/nobody'],
  ])('AUD-07 AUD-08 ERR-24 %s', async (_, body: Json, code, named) => {
    const answer = await speak(harness, key, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code, message: expect.stringContaining(named) });
    expect(harness.simulator.requests).toEqual([]);
  });

  test.each([-1, 0, -0, 0.1, 4.01, 1e9, 1e308, 2 ** 53, '1', true, [], {}])('NUM-1 speed %j', async (speed) => {
    const answer = await speak(harness, key, { speed });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ message: expect.stringContaining('speed') });
  });

  test('AUD-07 CAT-11 speech models are listed by what they put out', async () => {
    const answer = await harness.request('GET', '/v1/models?output_modalities=speech');
    const ids = (answer.body.data as { id: string }[]).map(({ id }) => id);
    expect(ids).toContain('acme/speaker');
    expect(ids).not.toContain('acme/listener');
    expect(ids).not.toContain('openai/test');
  });
});
