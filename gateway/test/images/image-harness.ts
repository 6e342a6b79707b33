// A gateway with models that make pictures, and the usual calls of them.

import { makePng } from '@tollgate/simulator';
import { type Answer, type Harness, type HarnessOptions, type Json, type ModelSpec, startHarness } from '../harness.ts';

export const PRICE_USD = 0.04;

/** Pictures at 0.04 USD each. */
export function paintingModel(commands?: string, entry: Json = {}): ModelSpec {
  const facts = {
    input_modalities: ['text', 'image'],
    output_modalities: ['image'],
    pricing: { image: String(PRICE_USD) },
    // Larger than usual, and no dearer.
    extras: { 'size=2048x2048': '1', 'size=1536x1024': '1', 'size=1024x1536': '1' },
    ...entry,
  };
  return commands === undefined ? { entry: facts } : { commands, entry: facts };
}

/** Words and pictures, at 1 USD and 2 USD per million tokens and 0.04 USD for each picture. */
export function illustratingModel(commands?: string, entry: Json = {}): ModelSpec {
  const pricing = { prompt: '1', completion: '2', image: String(PRICE_USD) };
  return paintingModel(commands, { output_modalities: ['image', 'text'], pricing, ...entry });
}

/** The simulator's pictures lie on this machine, which the guard would refuse. */
export function startImages(options: HarnessOptions = {}): Promise<Harness> {
  return startHarness({
    ...options,
    models: { 'acme/painter': paintingModel(), 'acme/linker': paintingModel('image-url'), ...options.models },
    env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8', ...options.env },
  });
}

export function paint(harness: Harness, key: string, body: Json = {}, path = '/v1/images/generations') {
  return harness.request('POST', path, { key, body: { model: 'acme/painter', prompt: 'A red square', ...body } });
}

export type Source = Readonly<{ bytes: Buffer; type?: string; name?: string; field?: string }>;

export const picture = (byteLength = 0): Source => ({ bytes: makePng(7, '8x8', byteLength) });

/** Sends a form; an empty value leaves the field out. */
export async function edit(
  harness: Harness,
  key: string,
  sources: readonly Source[] = [picture()],
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const form = new FormData();
  for (const { bytes, type = 'image/png', name = 'a.png', field = 'image' } of sources) {
    form.append(field, new Blob([new Uint8Array(bytes)], { type }), name);
  }
  for (const [name, value] of Object.entries({ model: 'acme/painter', prompt: 'Make it blue', ...fields })) {
    if (value !== '') form.append(name, value);
  }
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${harness.url}/v1/images/edits`, { method: 'POST', headers, body: form });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Json };
}

export const urlsOf = (answer: Answer): string[] =>
  ((answer.body.data ?? []) as { url: string }[]).map(({ url }) => url);

/** What the upstream was asked last. */
export const sentBody = (harness: Harness): Json => (harness.simulator.requests.at(-1)?.json ?? {}) as Json;

export const codeOf = (answer: Answer): unknown => (answer.body.error as Json | undefined)?.code;

export async function download(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

export type NamedEvent = Readonly<{ event: string; data: Json }>;

/** Named events and plain frames, in their order; a frame without a name is called `message`. */
export function eventsOf(text: string): NamedEvent[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.includes('data: ') && !frame.includes('[DONE]'))
    .map((frame) => ({
      event: /^event: (.+)$/m.exec(frame)?.[1] ?? 'message',
      data: JSON.parse(/^data: (.+)$/m.exec(frame)?.[1] ?? '{}') as Json,
    }));
}
