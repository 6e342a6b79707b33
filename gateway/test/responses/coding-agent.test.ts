// A coding agent's request as it is sent, over every kind of upstream: tools in namespaces and in the input, kinds of
// tools that only agents know, and thinking that must come back unchanged.

import type OpenAI from 'openai';
import type { ResponseCreateParamsNonStreaming, ResponseInput } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  commanded,
  everyWay,
  NATIVE,
  OVER_CHAT,
  OVER_MESSAGES,
  type Setup,
  startThreeUpstreams,
} from './three-upstreams.ts';

let setup: Setup;
let client: OpenAI;

beforeAll(async () => {
  setup = await startThreeUpstreams(['calls-1']);
  client = setup.client;
});

afterAll(() => setup.harness.close());

const named = (name: string) => ({
  type: 'function' as const,
  name,
  description: 'd',
  strict: false,
  parameters: { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] },
});

function agentRequest(model: string, words: string): ResponseCreateParamsNonStreaming {
  return {
    model,
    store: false,
    instructions: 'You are a coding agent.',
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'k',
    text: { verbosity: 'low' },
    input: [
      {
        type: 'additional_tools',
        id: 'at_1',
        role: 'developer',
        tools: [{ type: 'namespace', name: 'clock', description: 'd', tools: [named('sleep_until')] }],
      },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] },
    ],
    tools: [
      named('exec_command'),
      { type: 'namespace', name: 'agents', description: 'd', tools: [named('wait_agent')] },
      { type: 'web_search' },
      { type: 'custom', name: 'apply_patch', description: 'd' },
    ],
  };
}

const lastUpstream = () => setup.harness.simulator.requests.at(-1);

describe.each(everyWay)('%s', (way) => {
  test.each([
    ['Please sleep_until noon.', { name: 'sleep_until', namespace: 'clock' }],
    ['Please wait_agent now.', { name: 'wait_agent', namespace: 'agents' }],
    ['Please exec_command ls.', { name: 'exec_command', namespace: undefined }],
  ])('%s: the call has the names that the agent knows, and the loop goes on', async (words, called) => {
    const request = agentRequest(commanded(way, 'calls-1'), words);
    for (const first of [
      await client.responses.create(request),
      await client.responses.stream({ ...request, stream: true }).finalResponse(),
    ]) {
      const call = first.output.find((item) => item.type === 'function_call');
      if (call?.type !== 'function_call') throw new Error('no call');
      expect({ name: call.name, namespace: call.namespace }).toEqual(called);
      const input = [
        ...(request.input as ResponseInput),
        ...(first.output as ResponseInput),
        { type: 'function_call_output' as const, call_id: call.call_id, output: 'done at last' },
      ];
      // The simulator refuses thinking that comes back changed or without its proof.
      const next = await client.responses.create({ ...request, input });
      expect(next.output_text).toContain('done at last');
    }
  });

  test('thinking is shown as a summary and carries what it needs to come back', async () => {
    const request = { ...agentRequest(way, 'Think.'), max_output_tokens: 4_000 };
    const response = await client.responses.create(request);
    const thought = response.output.find((item) => item.type === 'reasoning');
    expect(thought?.summary[0]?.text).toContain('simulator');
    if (way !== OVER_CHAT) expect(thought?.encrypted_content).toBeTruthy();
  });
});

test('a conversation may move from one vendor to the next and back', async () => {
  const words = { role: 'user' as const, content: 'Think.' };
  const settings = { reasoning: { effort: 'low' as const, summary: 'auto' as const }, max_output_tokens: 4_000 };
  const include: ['reasoning.encrypted_content'] = ['reasoning.encrypted_content'];
  let input: ResponseInput = [words];
  for (const model of [NATIVE, OVER_MESSAGES, OVER_CHAT, NATIVE, OVER_MESSAGES]) {
    const response = await client.responses.create({ model, input, include, ...settings });
    expect(response.status).toBe('completed');
    input = [...input, ...(response.output as ResponseInput), words];
  }
});

describe('what a provider of the same format receives', () => {
  test('RESP-06 everything, but never stored and without what is the gateway’s', async () => {
    const request = agentRequest(NATIVE, 'Hello');
    const gateway = { provider: { order: ['native'] }, models: [], transforms: [], background: true };
    await client.responses.create({ ...request, ...gateway } as ResponseCreateParamsNonStreaming);
    expect(lastUpstream()?.path).toBe('/v1/responses');
    // The key to the provider's cache is replaced by one that no other account can have.
    const hidden = { prompt_cache_key: expect.stringMatching(/^[\w-]{40}$/) };
    expect(lastUpstream()?.json).toEqual({ ...request, ...hidden, model: 'plain', store: false });
  });

  test('RESP-05 nested tools and response_format in the form that it takes', async () => {
    const { type, ...definition } = named('f');
    const body = {
      model: NATIVE,
      input: 'x',
      tools: [{ type, function: definition }],
      tool_choice: { type, function: { name: 'f' } },
      response_format: { type: 'json_object' },
    };
    const answer = await setup.harness.request('POST', '/v1/responses', { key: setup.key, body });
    expect(answer.status).toBe(200);
    expect(lastUpstream()?.json).toEqual({
      model: 'plain',
      input: 'x',
      store: false,
      tools: [named('f')],
      tool_choice: { type, name: 'f' },
      text: { format: { type: 'json_object' } },
    });
  });
});
