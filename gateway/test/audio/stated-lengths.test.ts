// Who says how long a recording was: the upstream, asked in the form in which it says so, or else the file itself. Vendors
// differ in this by model and by form of answer, and a client that chooses the form must not choose the price.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Harness, Json } from '../harness.ts';
import { hearingModel, recording, startAudio, transcribe } from './audio-harness.ts';

const routes = (upstream_model: string): object[] => [{ provider: 'sim', upstream_model }];

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startAudio({
    models: {
      'acme/whisper': { ...hearingModel(), routes: routes('whisper-large-v3-turbo') },
      'acme/scribe': hearingModel(),
    },
  });
});
afterEach(async () => {
  harness.simulator.clearScripts();
  harness.simulator.clearRequests();
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
});
afterAll(() => harness.close());

type Forms = Readonly<Record<string, Json | null>>;

/** Answers by the form that is asked for; null for one that the upstream does not have. */
function upstream(forms: Forms): void {
  const words = { message: 'Currently only support response_format `text` or `json`', type: 'BadRequestError' };
  harness.simulator.script(
    (request, response) => {
      const answer = forms[String(request.form?.fields.response_format ?? 'json')] ?? null;
      response.writeHead(answer === null ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { error: words }));
      return undefined;
    },
    { times: Infinity },
  );
}

const SEGMENTS = [
  { id: 0, start: 0, end: 1.5, text: ' Good' },
  { id: 1, start: 1.5, end: 2.5, text: ' evening.' },
];
/** As several vendors answer for Whisper: only the long form says how long the recording was. */
const TERSE = {
  json: { text: 'Good evening.', x_vendor: { id: 'r1' } },
  verbose_json: {
    ...{ task: 'transcribe', language: 'English', duration: 3, text: ' Good evening.', segments: SEGMENTS },
    x_vendor: { id: 'r1' },
  },
};
/** Of this one nobody but the upstream knows the length. */
const OPAQUE = Buffer.concat([Buffer.from('\x1aE\xdf\xa3', 'latin1'), Buffer.alloc(4_000, 'webm')]);

const ask = async (model: string, fields: Record<string, string>, file: Buffer = OPAQUE) => {
  ({ key } = await harness.account());
  const answer = await transcribe(harness, key, { file, fields: { model, ...fields } });
  return { answer, spent: await harness.spent(key) };
};

const formsAsked = () => harness.simulator.requests.map(({ form }) => form?.fields.response_format);

test.each(['', 'json'])('AUD-03 AUD-04 Whisper is asked for its length, and %s shows none of it', async (format) => {
  upstream(TERSE);
  const { answer, spent } = await ask('acme/whisper', { response_format: format });
  expect(answer.body).toEqual({ text: 'Good evening.', x_vendor: { id: 'r1' }, usage: { cost: 0.0003 } });
  expect(spent).toBe(0.0003);
  expect(formsAsked()).toEqual(['verbose_json']);
});

test('AUD-03 AUD-04 so it is where plain text is asked for', async () => {
  upstream(TERSE);
  const { answer, spent } = await ask('acme/whisper', { response_format: 'text' });
  expect(answer.text).toBe('Good evening.\n');
  expect(spent).toBe(0.0003);
});

test('AUD-04 the long form itself is left as it is', async () => {
  upstream(TERSE);
  const { answer } = await ask('acme/whisper', { response_format: 'verbose_json' });
  expect(answer.body).toMatchObject({ duration: 3, segments: SEGMENTS, usage: { cost: 0.0003 } });
});

test('AUD-02 a server without the long form is asked for the short one', async () => {
  upstream({ json: { text: 'Hi.', usage: { type: 'duration', seconds: 2 } }, verbose_json: null });
  const { answer, spent } = await ask('acme/whisper', {});
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({ text: 'Hi.', usage: { seconds: 2, cost: 0.0002 } });
  expect(spent).toBe(0.0002);
  expect(formsAsked()).toEqual(['verbose_json', undefined]);
});

test('AUD-08 what is wrong with the recording is not tried twice', async () => {
  harness.simulator.script('status-400', { times: Infinity });
  const { answer } = await ask('acme/whisper', {});
  expect(answer.status).toBe(400);
  expect(formsAsked()).toEqual(['verbose_json']);
});

test('AUD-02 other models are asked for what the client asked for', async () => {
  upstream({ json: { text: 'Hi.', usage: { type: 'duration', seconds: 2 } }, verbose_json: null });
  await ask('acme/scribe', {});
  await ask('acme/scribe', { response_format: 'text' });
  expect(formsAsked()).toEqual([undefined, 'json']);
});

test.each<[string, Json, number]>([
  ['the last segment ends', { segments: SEGMENTS }, 0.00025],
  ['the last word ends', { words: [{ word: 'Hi', start: 0, end: 0.75 }] }, 0.000075],
  ['segments without times', { segments: [{ text: 'Hi' }, null, { end: 'x' }, { end: -1 }] }, 0],
])('AUD-03 without a usage and a length, what counts is when %s', async (_, members, cost) => {
  upstream({ json: { text: 'Hi.', ...members } });
  expect((await ask('acme/scribe', {})).spent).toBe(cost);
});

/** MPEG 1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes for 1,152 samples. */
const FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0xc4]), Buffer.alloc(413)]);
const frames = (count: number): Buffer => Buffer.concat(Array<Buffer>(count).fill(FRAME));
const TITLE = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x27\x10', 'latin1'), Buffer.alloc(5_008, 0xd8)]);

test.each<[string, Buffer, number]>([
  ['a WAV', recording(7), 0.0007],
  ['an MP3', frames(1_000), 0.0026122],
  [
    'one with a large title, and another in the middle',
    Buffer.concat([TITLE, frames(500), TITLE, frames(500)]),
    0.0026122,
  ],
  ['a file that only the upstream can read', OPAQUE, 0],
  ['a head that lies', Buffer.concat([recording(7).subarray(0, 24), Buffer.alloc(50_000, 0x7f)]), 0],
])('AUD-03 BILL-05 where nothing is stated, the file says how long it is: %s', async (_, file, cost) => {
  upstream({ json: { text: 'Hi.' } });
  const { answer, spent } = await ask('acme/scribe', {}, file);
  expect(answer.body).toEqual({ text: 'Hi.', usage: { cost } });
  expect(spent).toBe(cost);
});

test.each<[string, Json]>([
  ['of zero', { usage: { type: 'duration', seconds: 0 } }],
  ['that cannot be believed', { usage: { type: 'duration', seconds: -3 } }],
])('BILL-05 USG-1 a usage %s is a statement: nothing is charged', async (_, members) => {
  upstream({ json: { text: 'Hi.', ...members } });
  expect((await ask('acme/scribe', {}, recording(7))).spent).toBe(0);
});
