// How long a recording was is for the upstream to say, which is asked in the form in which it says so. Vendors differ in
// this by model and by form of answer, and a client that chooses the form must not choose the price.

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
      'acme/brief': { ...hearingModel(), routes: routes('brief') },
      'acme/strict': { ...hearingModel(), routes: routes('strict') },
      'acme/mute': { ...hearingModel(), routes: routes('mute') },
      'acme/ringed': { ...hearingModel(), routes: [{ provider: 'ring', upstream_model: 'ringed' }] },
    },
    moreProviders: { ring: { api_keys: { second: { key: 'k2' }, third: { key: 'k3' } } } },
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
  harness.simulator.clearScripts();
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

test('AUD-03 AUD-04 a model whose answer states no length is asked for the long form from then on, of which the client sees nothing', async () => {
  upstream(TERSE);
  expect((await ask('acme/whisper', { response_format: 'json' })).spent).toBe(0);
  const { answer, spent } = await ask('acme/whisper', { response_format: 'json' });
  expect(answer.body).toEqual({ text: 'Good evening.', x_vendor: { id: 'r1' }, usage: { cost: 0.0003 } });
  expect(spent).toBe(0.0003);
  const plain = await ask('acme/whisper', { response_format: 'text' });
  expect(plain.answer.text).toBe('Good evening.\n');
  expect(plain.spent).toBe(0.0003);
  expect((await ask('acme/whisper', {})).answer.body).toEqual(answer.body);
  expect(formsAsked()).toEqual(['json', 'verbose_json', 'verbose_json', 'verbose_json']);
});

test('AUD-04 the long form itself is left as it is', async () => {
  upstream(TERSE);
  const { answer } = await ask('acme/whisper', { response_format: 'verbose_json' });
  expect(answer.body).toMatchObject({ duration: 3, segments: SEGMENTS, usage: { cost: 0.0003 } });
});

test('AUD-02 AUD-08 a server without the long form is asked for the short one, and for that alone once it states a length', async () => {
  upstream({ json: { text: 'Hi.' }, verbose_json: null });
  await ask('acme/brief', {});
  upstream({ json: { text: 'Hi.', usage: { type: 'duration', seconds: 2 } }, verbose_json: null });
  const { answer, spent } = await ask('acme/brief', {});
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({ text: 'Hi.', usage: { seconds: 2, cost: 0.0002 } });
  expect(spent).toBe(0.0002);
  await ask('acme/brief', {});
  expect(formsAsked()).toEqual([undefined, 'verbose_json', undefined, undefined]);
});

test('AUD-08 what is wrong with the recording is not tried twice', async () => {
  upstream({ json: { text: 'Hi.' } });
  await ask('acme/strict', {});
  harness.simulator.clearScripts();
  harness.simulator.script('status-400', { times: Infinity });
  const { answer } = await ask('acme/strict', {});
  expect(answer.status).toBe(400);
  expect(formsAsked()).toEqual([undefined, 'verbose_json']);
});

test('AUD-02 models that state what they heard are asked for what the client asked for', async () => {
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

test('AUD-03 what shows with one key of a provider counts for all of them', async () => {
  upstream(TERSE);
  await ask('acme/ringed', {});
  for (let count = 0; count < 6; count += 1) expect((await ask('acme/ringed', {})).spent).toBe(0.0003);
});

test('BILL-05 where nothing is stated in any form, nothing is charged', async () => {
  upstream({ json: { text: 'Hi.' }, verbose_json: null });
  expect((await ask('acme/mute', {}, recording(7))).spent).toBe(0);
  expect((await ask('acme/mute', {}, recording(7))).spent).toBe(0);
});

test.each<[string, Json]>([
  ['of zero', { usage: { type: 'duration', seconds: 0 } }],
  ['that cannot be believed', { usage: { type: 'duration', seconds: -3 } }],
])('BILL-05 USG-1 a usage %s is a statement: nothing is charged', async (_, members) => {
  upstream({ json: { text: 'Hi.', ...members } });
  expect((await ask('acme/scribe', {}, recording(7))).spent).toBe(0);
});

test.each<[string, Buffer, number, number]>([
  ['in a format without a lowest rate, whose pauses take no bytes', OPAQUE, 30, 0.003],
  ['of a length that no format has', OPAQUE, 3_600, 0.0006339],
  ['that is a WAV, which has one', recording(1), 30, 0.0002003],
])('USG-1 BILL-02 a recording that is longer than was held for, %s', async (_, file, seconds, cost) => {
  upstream({ json: { text: 'Hi.', usage: { type: 'duration', seconds } } });
  expect((await ask('acme/scribe', {}, file)).spent).toBe(cost);
});
