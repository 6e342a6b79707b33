// A gateway with speech and transcription models, and the usual calls of them.

import { type Answer, type Harness, type HarnessOptions, type Json, type ModelSpec, startHarness } from '../harness.ts';

/** 15 USD per million characters: a character is 15,000 nano-USD. */
export function speechModel(commands?: string, pricing: Json = { character: '0.000015' }): ModelSpec {
  const entry = { input_modalities: ['text'], output_modalities: ['speech'], pricing };
  return commands === undefined ? { entry } : { commands, entry };
}

/** A second is 100,000 nano-USD. */
export function hearingModel(commands?: string, pricing: Json = { audio_second: '0.0001' }): ModelSpec {
  const entry = { input_modalities: ['audio'], output_modalities: ['transcription'], pricing };
  return commands === undefined ? { entry } : { commands, entry };
}

export function startAudio(options: HarnessOptions = {}): Promise<Harness> {
  return startHarness({
    ...options,
    models: { 'acme/speaker': speechModel(), 'acme/listener': hearingModel(), ...options.models },
  });
}

export type Sound = Readonly<{ status: number; headers: Headers; bytes: Buffer; body: Json }>;

export async function speak(harness: Harness, key: string, body: Json = {}): Promise<Sound> {
  const response = await fetch(`${harness.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'acme/speaker', input: 'Hello there', voice: 'alloy', ...body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const parsed = isJson ? (JSON.parse(bytes.toString()) as Json) : {};
  return { status: response.status, headers: response.headers, bytes, body: parsed };
}

/** A second of a recording, or so many of them: 8 kHz, 16 bit, one channel. */
export function recording(seconds = 1): Buffer {
  const samples = Buffer.alloc(seconds * 16_000);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

export type FormParts = Readonly<{ file?: Buffer | null; fields?: Readonly<Record<string, string>> }>;

/** Sends a form; `file: null` sends none. */
export async function transcribe(harness: Harness, key: string, parts: FormParts = {}): Promise<Answer> {
  const form = new FormData();
  const { file = recording(), fields = {} } = parts;
  if (file !== null) form.set('file', new Blob([new Uint8Array(file)], { type: 'audio/wav' }), 'talk.wav');
  for (const [name, value] of Object.entries({ model: 'acme/listener', ...fields })) {
    if (value !== '') form.append(name, value);
  }
  return post(harness, key, form);
}

async function post(harness: Harness, key: string, body: FormData): Promise<Answer> {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${harness.url}/v1/audio/transcriptions`, { method: 'POST', headers, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}
