// A gateway on which every model exists once for each kind of upstream, and the vendors' own SDKs pointed at it. The
// client must see the same, whatever the client and the upstream speak.

import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect } from 'vitest';
import { configDocument, type Harness, type Json, type ModelSpec, startHarness } from '../harness.ts';

/**
 * By what the upstream speaks: chat completions, Messages, Responses beside chat completions, or a format of its own.
 */
export const KINDS = ['chat', 'messages', 'responses', 'gemini', 'bedrock'] as const;
export type Kind = (typeof KINDS)[number];

const OWNERS: Readonly<Record<Kind, string>> = {
  chat: 'openai',
  messages: 'anthropic',
  responses: 'openai',
  gemini: 'google',
  bedrock: 'amazon',
};

/** Upstreams whose usage states what was written to a cache. */
const WRITE_COUNTERS: ReadonlySet<Kind> = new Set(['chat', 'messages', 'bedrock']);
export const countsWrites = (kind: Kind): boolean => WRITE_COUNTERS.has(kind);

/** The Responses format has no stop sequences, and takes no limit as low as the others do. */
export const takesStops = (kind: Kind): boolean => kind !== 'responses';

/** Upstreams that give arguments as text, and so byte for byte. */
export const TEXT_KINDS = ['chat', 'messages', 'responses'] as const;

export const modelOf = (kind: Kind, name: string): string => `${OWNERS[kind]}/${kind}-${name}`;

/** The same over chat completions, from a vendor who copied them. */
export const copiedModelOf = (name: string): string => `acme/${name}`;

/** What every model costs, in USD per million tokens, so that a test can compute the cost of a call. */
const PRICING = { prompt: '3', completion: '15', cache_read: '0.3', cache_write: '3.75' };

export type Clients = Readonly<{
  harness: Harness;
  key: string;
  openai: OpenAI;
  anthropic: Anthropic;
  /** What the upstream was sent last. */
  lastSent(): Json;
  close(): Promise<void>;
}>;

/** `commands` are the simulator's; an empty list is an upstream that simply answers. */
export async function startClients(commands: Readonly<Record<string, string>>): Promise<Clients> {
  const harness = await startHarness();
  const base = { base_url: `${harness.simulator.url}/v1`, api_key: 'upstream-secret-key' };
  const providers = {
    chat: { ...base, protocol: 'openai' },
    messages: { ...base, protocol: 'anthropic' },
    responses: { ...base, protocol: 'openai', responses: true },
    gemini: { ...base, protocol: 'gemini', base_url: `${harness.simulator.url}/v1beta` },
    bedrock: {
      protocol: 'bedrock',
      base_url: harness.simulator.url,
      region: 'us-east-1',
      access_key_id: 'AKIDEXAMPLE',
      secret_access_key: 'upstream-secret-key',
    },
  };
  const models: Record<string, ModelSpec> = {};
  for (const [name, command] of Object.entries(commands)) {
    const upstream_model = command === '' ? 'plain' : `sim-${command}`;
    const entry = { pricing: PRICING, max_completion_tokens: 16_384 };
    for (const kind of KINDS) {
      models[modelOf(kind, name)] = { routes: [{ provider: kind, upstream_model }], entry };
    }
    models[copiedModelOf(name)] = { routes: [{ provider: 'chat', upstream_model }], entry };
  }
  const document: Json = { ...configDocument(harness.simulator.url, { models }), providers };
  delete (document.models as Json)['openai/test'];
  await harness.operate('PUT', '/admin/v1/config', document);
  const { key } = await harness.account();
  return {
    harness,
    key,
    openai: new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: key, maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: harness.url, apiKey: key, maxRetries: 0 }),
    lastSent: () => harness.simulator.requests.at(-1)?.json as Json,
    async close() {
      expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
      await harness.close();
    },
  };
}

export const QUESTION = 'What is the weather in Paris?';

export const weatherSchema = {
  type: 'object' as const,
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const PDF = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF').toString('base64');

export const textOf = (message: Pick<Anthropic.Message, 'content'>): string =>
  message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
