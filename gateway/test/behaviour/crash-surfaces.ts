// The surfaces that a paid call can come in by, as the crash tests use them: what to send, and how a client knows that
// its answer is finished and what it cost. To try another surface, add a row.

import type { Json, ModelSpec } from '../harness.ts';

export type Surface = Readonly<{
  name: string;
  path: string;
  body: Json;
  /** What only the last part of a stream holds; without one there are no streams. */
  finish?: string;
  headers?: Readonly<Record<string, string>>;
  /** What sets its model apart from one for conversations. */
  model?: Readonly<{ suffix: string; entry: Json }>;
  /**
   * Which side goes on after a restart: the client that asks again, or the gateway itself while the client asks for the
   * state. Then the call is answered and charged once, whenever the gateway was killed.
   */
  goesOn?: 'asked again' | 'job' | 'batch';
}>;

const messages = [{ role: 'user', content: 'hi' }];

/** A hundred tokens cost what a conversation's hundred and twenty do. */
const PER_TOKEN = { prompt: '1.4' };

const chat = {
  path: '/v1/chat/completions',
  body: { max_tokens: 1_000, messages },
  finish: '"finish_reason":"stop"',
};

export type Conversation = Surface & Readonly<{ finish: string }>;

export const CONVERSATIONS: readonly Conversation[] = [
  { ...chat, name: 'chat' },
  {
    name: 'completions',
    path: '/v1/completions',
    body: { max_tokens: 1_000, prompt: 'hi' },
    finish: '"finish_reason":"stop"',
  },
  {
    name: 'responses',
    path: '/v1/responses',
    body: { max_output_tokens: 1_000, input: 'hi' },
    finish: '"response.completed"',
  },
  {
    name: 'messages',
    path: '/v1/messages',
    body: { max_tokens: 1_000, messages },
    finish: '"stop_reason":"end_turn"',
  },
];

export const SURFACES: readonly Surface[] = [
  ...CONVERSATIONS,
  {
    name: 'embeddings',
    path: '/v1/embeddings',
    body: { input: 'hi' },
    model: { suffix: '-embed', entry: { output_modalities: ['embeddings'], pricing: PER_TOKEN } },
  },
  {
    name: 'rerank',
    path: '/v1/rerank',
    body: { query: 'hi', documents: ['hi', 'ho'] },
    model: { suffix: '-rank', entry: { output_modalities: ['rerank'], pricing: PER_TOKEN } },
  },
  {
    name: 'moderations',
    path: '/v1/moderations',
    body: { input: 'hi' },
    model: { suffix: '-judge', entry: { output_modalities: ['moderation'], pricing: { request: '0.00014' } } },
  },
  { ...chat, name: 'chat for the cache', headers: { 'X-Tollgate-Cache': 'ttl=300' } },
  { ...chat, name: 'repeatable chat', headers: { 'Idempotency-Key': 'once' }, goesOn: 'asked again' },
  { name: 'job', path: chat.path, body: chat.body, headers: { Prefer: 'respond-async' }, goesOn: 'job' },
  { name: 'batch', path: chat.path, body: chat.body, goesOn: 'batch' },
];

export const modelOf = ({ model }: Surface, name: string): string => `${name}${model?.suffix ?? ''}`;

/** The models of all surfaces, each like the one of this name. */
export const modelsLike = (name: string, spec: ModelSpec): Readonly<Record<string, ModelSpec>> =>
  Object.fromEntries(
    SURFACES.map((surface) => [modelOf(surface, name), { ...spec, entry: surface.model?.entry ?? {} }]),
  );

/** The cost in USD that a client has been told; null when it has not seen the end of its answer. */
export function costSeen(finish: string, text: string): number | null {
  const end = text.indexOf(finish);
  const cost = /"(?:tollgate_)?cost":\s?([0-9.e-]+)/.exec(end < 0 ? '' : text);
  return cost === null ? null : Number(cost[1]);
}
