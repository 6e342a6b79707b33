// Thinking across turns. The upstreams here check its signature, as the real ones do, so a turn that lost or changed
// anything would be refused.

import type Anthropic from '@anthropic-ai/sdk';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clients, modelOf, QUESTION, startClients, textOf, weatherSchema } from './every-upstream.ts';

let clients: Clients;

beforeAll(async () => {
  clients = await startClients({ thinking: 'reasoning-12', redacted: 'reasoning-redacted-12' });
});

afterAll(() => clients.close());

const weather = { name: 'get_weather', description: 'Weather of a city', parameters: weatherSchema };

/** Every opaque value in the request to the upstream, at any depth. */
function proofsSent(): string[] {
  const sent = JSON.stringify(clients.lastSent());
  return [...sent.matchAll(/"(?:signature|data|encrypted_content)":"([^"]+)"/g)].map((match) => match[1] ?? '');
}

describe.each(['thinking', 'redacted'])('%s from a Messages upstream, three turns with a tool', (name) => {
  const model = modelOf('messages', name);

  test('a chat client that sends back what it got', async () => {
    const tools = [{ type: 'function' as const, function: weather }];
    const settings = { model, tools, max_tokens: 4_000, reasoning: { max_tokens: 2_000 } };
    const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: QUESTION }];
    const first = await clients.openai.chat.completions.create({ ...settings, messages });
    const called = first.choices[0]?.message;
    expect(called?.tool_calls).toHaveLength(1);
    if (called === undefined) return;
    messages.push(called, { role: 'tool', tool_call_id: called.tool_calls?.[0]?.id ?? '', content: '21C' });
    const second = await clients.openai.chat.completions.create({ ...settings, messages });
    expect(proofsSent()).toHaveLength(1);
    const answered = second.choices[0]?.message;
    expect(answered?.content).toContain('21C');
    if (answered === undefined) return;
    messages.push(answered, { role: 'user', content: 'And tomorrow?' });
    const third = await clients.openai.chat.completions.create({ ...settings, messages, tool_choice: 'none' });
    expect(third.choices[0]?.message.content).toContain('And tomorrow?');
    expect(proofsSent()).toHaveLength(2);
  });

  test.each([false, true])('a Responses client that sends back what it got, streamed: %s', async (isStreamed) => {
    const tools = [{ type: 'function' as const, ...weather, strict: true }];
    const settings = {
      model,
      tools,
      max_output_tokens: 4_000,
      reasoning: { effort: 'medium' as const, summary: 'auto' as const },
      include: ['reasoning.encrypted_content' as const],
      store: false,
    };
    const ask = (input: ResponseInputItem[]): Promise<Response> =>
      isStreamed
        ? clients.openai.responses.stream({ ...settings, input }).finalResponse()
        : clients.openai.responses.create({ ...settings, input });
    const input: ResponseInputItem[] = [{ role: 'user', content: QUESTION }];
    const first = await ask(input);
    expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
    const call = first.output.find((item) => item.type === 'function_call');
    input.push(...(first.output as ResponseInputItem[]), {
      type: 'function_call_output',
      call_id: call?.call_id ?? '',
      output: '21C',
    });
    const second = await ask(input);
    expect(proofsSent()).toHaveLength(1);
    expect(second.output_text).toContain('21C');
    input.push(...(second.output as ResponseInputItem[]), { role: 'user', content: 'And tomorrow?' });
    await ask(input);
    expect(proofsSent()).toHaveLength(2);
  });

  test.each([false, true])('a Messages client, streamed: %s', async (isStreamed) => {
    const settings = {
      model,
      tools: [{ name: weather.name, input_schema: weatherSchema }],
      max_tokens: 4_000,
      thinking: { type: 'enabled' as const, budget_tokens: 2_000 },
    };
    const ask = (messages: Anthropic.MessageParam[]) =>
      isStreamed
        ? clients.anthropic.messages.stream({ ...settings, messages }).finalMessage()
        : clients.anthropic.messages.create({ ...settings, messages });
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: QUESTION }];
    const first = await ask(messages);
    const use = first.content.find((block) => block.type === 'tool_use');
    const result = { type: 'tool_result' as const, tool_use_id: use?.id ?? '', content: '21C' };
    messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: [result] });
    const second = await ask(messages);
    expect(textOf(second)).toContain('21C');
    messages.push({ role: 'assistant', content: second.content }, { role: 'user', content: 'And tomorrow?' });
    await ask(messages);
    expect(proofsSent()).toHaveLength(2);
  });
});

test('a conversation may change its client’s dialect and its upstream and still be understood', async () => {
  const settings = { max_tokens: 4_000, thinking: { type: 'enabled' as const, budget_tokens: 2_000 } };
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: QUESTION }];
  for (const kind of ['messages', 'responses', 'chat', 'messages'] as const) {
    const model = modelOf(kind, 'thinking');
    const answer = await clients.anthropic.messages.create({ ...settings, model, messages });
    expect(textOf(answer)).toContain(QUESTION);
    messages.push({ role: 'assistant', content: answer.content }, { role: 'user', content: QUESTION });
  }
  // An upstream gets back only its own thinking.
  expect(proofsSent()).toHaveLength(1);
});
