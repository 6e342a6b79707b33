// A gateway with every model twice: an upstream that speaks this dialect serves `same/<name>`, a translated one
// `other/<name>`. A client must see the same.

import { createParser } from 'eventsource-parser';
import { expect } from 'vitest';
import { type Answer, configDocument, type Harness, type Json, type ModelSpec, startHarness } from '../harness.ts';

export type Kind = 'same' | 'other';
export const KINDS: readonly Kind[] = ['same', 'other'];

/** 100 prompt tokens at $1 and 20 completion tokens at $2 per million. */
export const COST_USD = 0.00014;

export type StreamEvent = Json & { type: string };

export async function startMessagesHarness(
  commands: Readonly<Record<string, string>>,
  entry: Record<string, unknown> = {},
): Promise<Harness> {
  const harness = await startHarness();
  const models: Record<string, ModelSpec> = {};
  for (const [name, command] of Object.entries(commands)) {
    const upstream_model = `sim-${command}`;
    models[`same/${name}`] = { routes: [{ provider: 'native', upstream_model }], entry };
    models[`other/${name}`] = { routes: [{ provider: 'sim', upstream_model }], entry };
  }
  const document = configDocument(harness.simulator.url, { models });
  const providers = document.providers as Json;
  providers.native = { ...(providers.sim as Json), protocol: 'anthropic' };
  await harness.operate('PUT', '/admin/v1/config', document);
  return harness;
}

const basis = { max_tokens: 1_000, messages: [{ role: 'user', content: 'Say hello.' }] };

export function send(harness: Harness, key: string, body: Json): Promise<Answer> {
  return harness.request('POST', '/v1/messages', { key, body: { ...basis, ...body } });
}

/** The events of a stream as a client reads them: by the event's name, which must be the type inside. */
export async function stream(
  harness: Harness,
  key: string,
  body: Json,
): Promise<Answer & { events: readonly StreamEvent[] }> {
  const answer = await send(harness, key, { stream: true, ...body });
  const events: StreamEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const json = JSON.parse(data) as StreamEvent;
      expect(json.type).toBe(event);
      if (event !== 'ping') events.push(json);
    },
  });
  parser.feed(answer.text);
  return { ...answer, events };
}

export const typesOf = (events: readonly StreamEvent[]): string[] => events.map(({ type }) => type);

export function textOf(events: readonly StreamEvent[]): string {
  return events.map(({ delta }) => String((delta as Json | undefined)?.text ?? '')).join('');
}
