// Thinking that only its own upstream can read is carried through clients of other formats: sealed reasoning of
// Responses and signatures of Gemini come back unchanged from chat and Messages clients. The upstreams refuse lost or
// changed ones.

import type Anthropic from '@anthropic-ai/sdk';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { type Clients, modelOf, QUESTION, startClients, textOf, weatherSchema } from './every-upstream.ts';

let clients: Clients;

beforeAll(async () => {
  clients = await startClients({ thinking: 'reasoning-12' });
});

afterAll(() => clients.close());

const PROOFS = { responses: /"encrypted_content":"([^"]+)"/g, gemini: /"thoughtSignature":"([^"]+)"/g };
const RESULT = '21C';

type Kind = keyof typeof PROOFS;

/** Every opaque value in the last request to the upstream. */
const proofsSent = (kind: Kind): string[] =>
  [...JSON.stringify(clients.lastSent()).matchAll(PROOFS[kind])].map(([, proof]) => proof ?? '');

/** As clients that know the field do it: pieces with the same index are joined. */
function joined(frames: readonly Json[]): Json {
  const message: Json = { role: 'assistant', content: '' };
  const details: Json[] = [];
  const calls: Json[] = [];
  for (const frame of frames) {
    const delta = ((frame.choices as Json[] | undefined)?.[0]?.delta ?? {}) as Json;
    message.content = `${String(message.content)}${String(delta.content ?? '')}`;
    for (const { index, ...piece } of (delta.reasoning_details ?? []) as (Json & { index: number })[]) {
      const known = details[index] ?? {};
      const text = piece.text === undefined ? {} : { text: `${String(known.text ?? '')}${String(piece.text)}` };
      details[index] = { ...known, ...piece, ...text };
    }
    for (const { index, ...piece } of (delta.tool_calls ?? []) as (Json & { index: number })[]) {
      const known = (calls[index] ?? { function: { arguments: '' } }) as Json & { function: Json };
      const called = { ...(piece.function as Json) };
      const args = `${String(known.function.arguments)}${String(called.arguments ?? '')}`;
      calls[index] = { ...known, ...piece, function: { ...known.function, ...called, arguments: args } };
    }
  }
  const kept = details.filter((detail) => detail !== undefined);
  return {
    ...message,
    ...(kept.length === 0 ? {} : { reasoning_details: kept }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

async function askChat(kind: Kind, messages: readonly Json[], isStream: boolean): Promise<Json> {
  const function_ = { name: 'get_weather', description: 'Weather of a city', parameters: weatherSchema };
  const settings = {
    ...{ model: modelOf(kind, 'thinking'), max_tokens: 4_000, reasoning: { max_tokens: 2_000 } },
    tools: [{ type: 'function' as const, function: function_ }],
    messages: messages as unknown as ChatCompletionMessageParam[],
  };
  if (isStream) return joined((await clients.harness.stream(clients.key, settings)).frames);
  const completion = await clients.openai.chat.completions.create(settings);
  return completion.choices[0]?.message as unknown as Json;
}

describe.each(['responses', 'gemini'] as const)('thinking of %s', (kind) => {
  test.each([false, true])('through chat, streamed: %s', async (isStream) => {
    const messages: Json[] = [{ role: 'user', content: QUESTION }];
    const called = await askChat(kind, messages, isStream);
    const calls = called.tool_calls as Json[];
    expect(calls).toHaveLength(1);
    messages.push(called, { role: 'tool', tool_call_id: calls[0]?.id, content: RESULT });
    const answered = await askChat(kind, messages, isStream);
    expect(answered.content).toContain(RESULT);
    expect(proofsSent(kind)).toHaveLength(1);
  });

  test.each([false, true])('through Messages, streamed: %s', async (isStream) => {
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: QUESTION }];
    const settings = {
      ...{ model: modelOf(kind, 'thinking'), max_tokens: 4_000 },
      thinking: { type: 'enabled' as const, budget_tokens: 2_000 },
      tools: [{ name: 'get_weather', description: 'Weather of a city', input_schema: weatherSchema }],
    };
    const ask = (): Promise<Anthropic.Message> =>
      isStream
        ? clients.anthropic.messages.stream({ ...settings, messages }).finalMessage()
        : clients.anthropic.messages.create({ ...settings, messages });
    const called = await ask();
    const call = called.content.find((block) => block.type === 'tool_use');
    messages.push(
      { role: 'assistant', content: called.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: RESULT }] },
    );
    expect(textOf(await ask())).toContain(RESULT);
    expect(proofsSent(kind)).toHaveLength(1);
  });
});
