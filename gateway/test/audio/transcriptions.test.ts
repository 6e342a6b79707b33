// Transcriptions through the front door: forms and JSON in, every format out, charged by what the upstream says.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Harness, Json } from '../harness.ts';
import { hearingModel, recording, startAudio, transcribe } from './audio-harness.ts';

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startAudio({
    models: {
      'acme/stating': hearingModel('cost-4200+seconds-10'),
      'acme/dear': hearingModel('cost-90000'),
      'acme/cents': hearingModel('cost-900000'),
      'acme/hour': hearingModel('seconds-3600'),
      'acme/absurd': hearingModel('usage-absurd+cost-5'),
      'acme/negative': hearingModel('usage-negative+cost-5'),
      'acme/text-cost': hearingModel('usage-string+cost-5'),
      'acme/silent': hearingModel('usage-none'),
      'acme/zero': hearingModel('usage-zero+cost-5'),
      'acme/by-tokens': hearingModel('tokens-30-12', { prompt: '6', completion: '10' }),
      'acme/tokens-by-second': hearingModel('tokens-30-12', { audio_second: '0.0001' }),
      'acme/seconds-by-token': hearingModel('seconds-1', { prompt: '6', completion: '10' }),
      'acme/unpriced-seconds': hearingModel('cost-250', { prompt: '0', completion: '0' }),
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

const sentForm = () => harness.simulator.requests.at(-1)?.form;

describe('AUD-01 what comes in', () => {
  test('AUD-01 AUD-04 a form with a file', async () => {
    const file = recording(3);
    const answer = await transcribe(harness, key, { file });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toEqual({
      text: 'A simulated transcription of 3 seconds.',
      usage: { type: 'duration', seconds: 3, cost: 0.0003 },
    });
    expect(sentForm()?.fields).toEqual({ model: 'acme/listener' });
    const [sent] = sentForm()?.files ?? [];
    expect(sent).toMatchObject({ name: 'file', fileName: 'talk.wav', contentType: 'audio/wav' });
    expect(sent?.bytes.equals(file)).toBe(true);
  });

  test('AUD-01 JSON with the recording in base64', async () => {
    const file = recording(2);
    const answer = await harness.request('POST', '/v1/audio/transcriptions', {
      key,
      body: { model: 'acme/listener', input_audio: { data: file.toString('base64'), format: 'wav' }, language: 'en' },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ text: 'A simulated transcription of 2 seconds in en.' });
    expect(sentForm()?.fields).toEqual({ model: 'acme/listener', language: 'en' });
    expect(sentForm()?.files[0]?.bytes.equals(file)).toBe(true);
    expect(sentForm()?.files[0]?.fileName).toBe('audio.wav');
  });

  test('AUD-01 a file larger than memory holds goes over the disk, unchanged', async () => {
    const file = Buffer.alloc(9 * 1024 * 1024, 'sound');
    const answer = await transcribe(harness, key, { file });
    expect(answer.status, answer.text).toBe(200);
    expect(sentForm()?.files[0]?.bytes.equals(file)).toBe(true);
  });

  test('AUD-02 the options are forwarded, and so is what nobody knows yet', async () => {
    const fields = {
      language: 'de',
      prompt: 'Grüße',
      temperature: '0.2',
      response_format: 'verbose_json',
      chunking: 'auto',
    };
    const answer = await transcribe(harness, key, { fields: { ...fields, 'timestamp_granularities[]': 'word' } });
    expect(answer.status, answer.text).toBe(200);
    expect(sentForm()?.fields).toEqual({
      model: 'acme/listener',
      ...fields,
      'timestamp_granularities[]': 'word',
    });
  });

  test('EMB-05 wishes about providers are the gateway’s, in a form as JSON', async () => {
    const excluded = await transcribe(harness, key, { fields: { provider: '{"only":["nobody"]}' } });
    expect(excluded.status).toBe(503);
    const allowed = await transcribe(harness, key, { fields: { provider: '{"only":["sim"]}' } });
    expect(allowed.status).toBe(200);
    expect(sentForm()?.fields).not.toHaveProperty('provider');
  });
});

describe('AUD-04 what goes out', () => {
  const inFormat = (response_format: string) =>
    transcribe(harness, key, { file: recording(6), fields: { response_format } });

  test('AUD-04 json and verbose_json, with what they cost', async () => {
    expect((await inFormat('json')).body).toMatchObject({ usage: { seconds: 6, cost: 0.0006 } });
    expect((await inFormat('verbose_json')).body).toMatchObject({
      task: 'transcribe',
      duration: 6,
      segments: [
        { id: 0, start: 0, end: 3 },
        { id: 1, start: 3, end: 6 },
      ],
      usage: { cost: 0.0006 },
    });
  });

  test('AUD-04 plain text', async () => {
    const answer = await inFormat('text');
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.text).toBe('A simulated transcription of 6 seconds.\n');
  });

  test('AUD-04 subtitles in both formats', async () => {
    const srt = await inFormat('srt');
    expect(srt.text).toMatch(/^1\n00:00:00,000 --> 00:00:03,000\n\S.*\n\n2\n00:00:03,000 --> 00:00:06,000\n\S.*\n\n$/);
    const vtt = await inFormat('vtt');
    expect(vtt.headers.get('content-type')).toMatch(/^text\/vtt/);
    expect(vtt.text).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:03\.000\n\S.*\n\n00:00:03\.000/);
  });

  test('BILL-03 a text without a place for its cost is charged all the same', async () => {
    const { key: own } = await harness.account();
    for (const response_format of ['text', 'srt', 'vtt']) {
      await transcribe(harness, own, { file: recording(2), fields: { response_format } });
    }
    expect(await harness.spent(own)).toBe(0.0006);
  });
});

describe('AUD-03 what it costs', () => {
  test.each([
    ['AUD-03 what the upstream states is charged', 'acme/stating', 0.0042],
    ['AUD-03 also when the catalog has no price that fits', 'acme/unpriced-seconds', 0.00025],
    ['AUD-03 a statement far above the hold, yet possible', 'acme/dear', 0.09],
    ['BILL-03 tokens at their prices', 'acme/by-tokens', 0.0003],
    ['BILL-03 AUD-03 tokens at a price per second: ten of them are one', 'acme/tokens-by-second', 0.0003],
    ['BILL-03 AUD-03 seconds at a price per token: ten heard and four said in each', 'acme/seconds-by-token', 0.0001],
    ['BILL-05 F22 without a usage nothing is charged', 'acme/silent', 0],
    ['BILL-05 F23 USG-2 zero is zero', 'acme/zero', 0],
    ['USG-1 F25 a negative figure is none', 'acme/negative', 0],
    ['USG-1 F25 a text is no figure', 'acme/text-cost', 0],
    // The length of the file, head and all, and a second for safety, at the catalog's price.
    ['AUD-03 USG-1 ninety cents for a second of sound are worth no more than the hold', 'acme/cents', 0.0002003],
    ['USG-1 F26 an absurd statement is worth no more than the hold', 'acme/absurd', 0.0002003],
    ['USG-1 an hour that is stated of a second of sound is worth no more than the hold', 'acme/hour', 0.0002003],
  ])('%s', async (_, model, cost) => {
    const { key: own } = await harness.account();
    const answer = await transcribe(harness, own, { fields: { model } });
    expect(answer.status, answer.text).toBe(200);
    expect((answer.body.usage as Json).cost).toBe(cost);
    expect(await harness.spent(own)).toBe(cost);
  });

  test('AUD-03 a length that is stated beside the text is charged where there is no usage', async () => {
    const { key: own } = await harness.account();
    const ask = (model: string) =>
      transcribe(harness, own, { file: recording(5), fields: { model, response_format: 'verbose_json' } });
    expect((await ask('acme/silent')).body).toMatchObject({ duration: 5, usage: { cost: 0.0005 } });
    expect(await harness.spent(own)).toBe(0.0005);
    expect((await ask('acme/negative')).body).toMatchObject({ usage: { cost: 0 } });
  });

  test('I10 the record has the seconds that were paid for', async () => {
    const answer = await transcribe(harness, key, { file: recording(4) });
    const id = answer.headers.get('x-generation-id');
    const record = await harness.request('GET', `/v1/generation?id=${id}`, { key });
    expect(record.body.data).toMatchObject({ usage: { units: { audio_seconds: 4 }, cost: 0.0004 } });
  });

  test('BILL-02 the length of the file is held before it is sent', async () => {
    const { key: poor } = await harness.account('0.001');
    const refused = await transcribe(harness, poor, { file: recording(10) });
    expect(refused.status).toBe(402);
    expect(harness.simulator.requests).toEqual([]);
    expect((await transcribe(harness, poor, { file: recording(8) })).status).toBe(200);
    expect(await harness.spent(poor)).toBe(0.0008);
  });
});

describe('AUD-08 what is refused', () => {
  test.each([
    ['no file', { file: null }, 'missing_required_field', 'file'],
    ['no model', { fields: { model: '' } }, 'missing_required_field', 'model'],
    ['an empty file', { file: Buffer.alloc(0) }, 400, 'file'],
    ['a format nobody writes', { fields: { response_format: 'docx' } }, 'unsupported_response_format', 'vtt'],
    ['a language that is none', { fields: { language: 'e n' } }, 400, 'language'],
    ['subtitles in events', { fields: { stream: 'true', response_format: 'vtt' } }, 'unsupported_param', 'stream'],
    ['a chat model', { fields: { model: 'openai/test' } }, 'model_endpoint_mismatch', '/v1/chat/completions'],
    ['a model that speaks', { fields: { model: 'acme/speaker' } }, 'model_endpoint_mismatch', '/v1/audio/speech'],
  ])('AUD-08 ERR-24 %s', async (_, parts, code, named) => {
    const answer = await transcribe(harness, key, parts);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.error).toMatchObject({ code, message: expect.stringContaining(named) });
    expect(harness.simulator.requests).toEqual([]);
  });

  test.each(['-1', '2.1', 'NaN', '1e999', 'warm', '0x1', '９', '1e3'])('NUM-1 temperature %s', async (temperature) => {
    const answer = await transcribe(harness, key, { fields: { temperature } });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ message: expect.stringContaining('temperature') });
  });

  test.each([
    ['nothing to hear', {}, 'missing_required_field', 'input_audio'],
    ['no data', { input_audio: { format: 'wav' } }, 'missing_required_field', 'input_audio.data'],
    ['no format', { input_audio: { data: 'AAAA' } }, 'missing_required_field', 'input_audio.format'],
    ['data that is no base64', { input_audio: { data: 'data:x,y', format: 'wav' } }, 400, 'input_audio.data'],
    ['a format with a path', { input_audio: { data: 'AAAA', format: '../x' } }, 400, 'input_audio.format'],
    [
      'a temperature in quotes',
      { input_audio: { data: 'AAAA', format: 'wav' }, temperature: '0.2' },
      400,
      'temperature',
    ],
  ])('AUD-08 JSON: %s', async (_, body, code, named) => {
    const answer = await harness.request('POST', '/v1/audio/transcriptions', {
      key,
      body: { model: 'acme/listener', ...body },
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code, message: expect.stringContaining(named) });
  });

  test('LIM-08 a body over 10 MB is 413', async () => {
    const answer = await transcribe(harness, key, { file: Buffer.alloc(10_485_761) });
    expect(answer.status).toBe(413);
    expect(harness.simulator.requests).toEqual([]);
  });
});
