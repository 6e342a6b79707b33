// The surfaces that a paid call can come in by, as the crash tests use them: what to send, and how a client knows that
// its answer is finished and what it has cost. A further surface is a further row.

import type { Json } from '../harness.ts';

export type Surface = Readonly<{
  name: string;
  path: string;
  body(model: string): Json;
  /** What only the last part of a stream holds. */
  finish: string;
}>;

const messages = [{ role: 'user', content: 'hi' }];

export const SURFACES: readonly Surface[] = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    body: (model) => ({ model, max_tokens: 1_000, messages }),
    finish: '"finish_reason":"stop"',
  },
  {
    name: 'completions',
    path: '/v1/completions',
    body: (model) => ({ model, max_tokens: 1_000, prompt: 'hi' }),
    finish: '"finish_reason":"stop"',
  },
  {
    name: 'responses',
    path: '/v1/responses',
    body: (model) => ({ model, max_output_tokens: 1_000, input: 'hi' }),
    finish: '"response.completed"',
  },
  {
    name: 'messages',
    path: '/v1/messages',
    body: (model) => ({ model, max_tokens: 1_000, messages }),
    finish: '"stop_reason":"end_turn"',
  },
];

/** The cost in USD that a client has been told; null when it has not seen the end of its answer. */
export function costSeen(surface: Surface, text: string): number | null {
  const end = text.indexOf(surface.finish);
  const cost = /"(?:tollgate_)?cost":\s?([0-9.e-]+)/.exec(end < 0 ? '' : text);
  return cost === null ? null : Number(cost[1]);
}
