// The settings of a conversation in the words of this API, without those that would make it refuse the request.

import { describe, expect, test } from 'vitest';
import type { Conversation, Message } from '../../../canonical/conversation.ts';
import type { Candidate } from '../../../canonical/model.ts';
import { encodeConversation } from './encode-conversation.ts';

const hello: Message = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
const tool = { name: 'f', description: 'Does f.', parameters: { type: 'object', properties: {} } };

function candidateWith(completionTokensMax: number | null = 64_000, isReasoningMandatory = false): Candidate {
  const model = { completionTokensMax, traits: { isReasoningMandatory } };
  return { upstreamModel: 'claude-sonnet-4-5', model } as unknown as Candidate;
}
/** A model that keeps the fields which other families never see. */
const keeper = {
  upstreamModel: 'm',
  model: { completionTokensMax: 64_000, traits: { isReasoningMandatory: false, keepsOpenAiOnlyFields: true } },
} as unknown as Candidate;
const encode = (change: Partial<Conversation> = {}, candidate = candidateWith()) =>
  encodeConversation({ messages: [hello], tools: [], sampling: {}, ...change }, candidate, false);

test('CHAT-22 a plain conversation gains a token limit and nothing else', () => {
  const plain = { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] };
  expect(encode()).toEqual({ ...plain, max_tokens: 64_000 });
  expect(encode({}, candidateWith(null))).toEqual({ ...plain, max_tokens: 4_096 });
  expect(encode({ outputTokensMax: 7 })).toEqual({ ...plain, max_tokens: 7 });
});

test('MSGS-09 a stream is asked for in the body', () => {
  const conversation: Conversation = { messages: [hello], tools: [], sampling: {} };
  expect(encodeConversation(conversation, candidateWith(), true).stream).toBe(true);
  expect(encode()).not.toHaveProperty('stream');
});

describe('sampling', () => {
  test('CHAT-09 CHAT-22 what the API knows is forwarded, zero included; what it does not know is not', () => {
    const sampling = {
      temperature: 0,
      topK: 5,
      frequencyPenalty: 1,
      presencePenalty: 1,
      seed: 7,
      stop: ['END', ' \n', ''],
    };
    expect(encode({ sampling })).toMatchObject({ temperature: 0, top_k: 5, stop_sequences: ['END'] });
    expect(Object.keys(encode({ sampling })).sort()).toEqual(
      ['model', 'max_tokens', 'messages', 'temperature', 'top_k', 'stop_sequences'].sort(),
    );
    expect(encode({ sampling: { topP: 0 } })).toMatchObject({ top_p: 0 });
    expect(encode({ sampling: { stop: [' '] } })).not.toHaveProperty('stop_sequences');
    expect(encode({ sampling: { topK: 0 } })).not.toHaveProperty('top_k');
  });

  test('CHAT-05 a temperature of the wider scale is cut to the highest there is', () => {
    expect(encode({ sampling: { temperature: 1.7 } }).temperature).toBe(1);
    expect(encode({ sampling: { temperature: 0.7 } }).temperature).toBe(0.7);
  });

  test('of temperature and top_p together only the first goes', () => {
    expect(encode({ sampling: { temperature: 0.5, topP: 0.9 } })).not.toHaveProperty('top_p');
  });
});

describe('tools', () => {
  const encoded = { name: 'f', description: 'Does f.', input_schema: { type: 'object', properties: {} } };

  test('TOOL-01 CHAT-40 definitions with their markers, and a type for a schema without one', () => {
    const marked = { ...tool, cacheControl: { type: 'ephemeral' }, strict: true };
    const { tools } = encode({ tools: [tool, marked, { name: 'g', parameters: {} }] });
    expect(tools).toEqual([
      encoded,
      { ...encoded, cache_control: { type: 'ephemeral' } },
      { name: 'g', input_schema: { type: 'object' } },
    ]);
  });

  test('TOOL-04 TOOL-09 every choice has its word', () => {
    const choice = (change: Partial<Conversation>) => encode({ tools: [tool], ...change }, keeper).tool_choice;
    expect(choice({})).toBeUndefined();
    expect(choice({ toolChoice: 'auto' })).toEqual({ type: 'auto' });
    expect(choice({ toolChoice: 'none', isParallelToolCalls: false })).toEqual({ type: 'none' });
    expect(choice({ toolChoice: 'required' })).toEqual({ type: 'any' });
    expect(choice({ toolChoice: { name: 'f' } })).toEqual({ type: 'tool', name: 'f' });
    const single = { disable_parallel_tool_use: true };
    expect(choice({ isParallelToolCalls: false })).toEqual({ type: 'auto', ...single });
    expect(choice({ toolChoice: 'required', isParallelToolCalls: false })).toEqual({ type: 'any', ...single });
    expect(choice({ isParallelToolCalls: true })).toBeUndefined();
    expect(encode({ toolChoice: 'auto' })).not.toHaveProperty('tool_choice');
  });
});

describe('the form of the answer', () => {
  test('TOOL-11 a schema is the own feature of the API', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    expect(encode({ responseFormat: { type: 'json-schema', name: 'n', schema } }).output_config).toEqual({
      format: { type: 'json_schema', schema },
    });
  });

  test('TOOL-10 plain JSON is asked for in words, after the instructions of the caller', () => {
    const system: Message = { role: 'system', parts: [{ type: 'text', text: 'Be terse.' }] };
    const body = encode({ messages: [system, hello], responseFormat: { type: 'json-object' } });
    expect(body.system).toEqual([
      { type: 'text', text: 'Be terse.' },
      { type: 'text', text: expect.stringContaining('JSON object') },
    ]);
  });

  test('TOOL-12 text is what it is anyway', () => {
    expect(encode({ responseFormat: { type: 'text' } })).toEqual(encode());
  });
});

describe('thinking', () => {
  const thinking = (change: Partial<Conversation>, candidate = candidateWith()) => encode(change, candidate).thinking;
  const enabled = (budget: number) => ({ type: 'enabled', budget_tokens: budget });

  test('CHAT-16 effort becomes a budget, in its order and below the limit', () => {
    const budget = (effort: string, outputTokensMax: number) => {
      const settings = thinking({ reasoning: { effort }, outputTokensMax }) as { budget_tokens: number };
      return settings.budget_tokens;
    };
    expect(['low', 'medium', 'high', 'unheard-of'].map((effort) => budget(effort, 20_000))).toEqual([
      4_000, 10_000, 16_000, 10_000,
    ]);
    for (const effort of ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']) {
      for (const limit of [1_025, 1_500, 8_000, 128_000]) {
        expect(budget(effort, limit)).toBeGreaterThanOrEqual(1_024);
        expect(budget(effort, limit)).toBeLessThan(limit);
      }
    }
  });

  test('CHAT-16 CHAT-18 a stated budget is kept as far as the limit allows', () => {
    expect(thinking({ reasoning: { tokensMax: 5_000 }, outputTokensMax: 8_000 })).toEqual(enabled(5_000));
    expect(thinking({ reasoning: { tokensMax: 9_000 }, outputTokensMax: 8_000 })).toEqual(enabled(7_999));
    expect(thinking({ reasoning: { tokensMax: 10 }, outputTokensMax: 8_000 })).toEqual(enabled(1_024));
    expect(thinking({ reasoning: { isEnabled: true }, outputTokensMax: 8_000 })).toEqual(enabled(4_000));
  });

  test('CHAT-18 CHAT-21 off means off, except where it has no effect', () => {
    for (const reasoning of [{ effort: 'none' }, { isEnabled: false, effort: 'high' }, { tokensMax: 0 }]) {
      expect(thinking({ reasoning })).toEqual({ type: 'disabled' });
      expect(thinking({ reasoning }, candidateWith(64_000, true))).toBeUndefined();
    }
    expect(thinking({ reasoning: {} })).toBeUndefined();
  });

  test('a limit too small for any thinking is answered without', () => {
    expect(thinking({ reasoning: { effort: 'high' }, outputTokensMax: 1_024 })).toBeUndefined();
  });

  test('what the API refuses beside thinking is left out, and comes back where thinking is off', () => {
    const sampling = { temperature: 0.5, topK: 5, topP: 0.5, stop: ['END'] };
    const body = encode({ reasoning: { effort: 'low' }, sampling });
    expect(body).toMatchObject({ stop_sequences: ['END'] });
    for (const field of ['temperature', 'top_k', 'top_p']) expect(body).not.toHaveProperty(field);
    expect(encode({ reasoning: { effort: 'low' }, sampling: { topP: 0.97 } }).top_p).toBe(0.97);
    expect(encode({ reasoning: { effort: 'none' }, sampling })).toMatchObject({ temperature: 0.5, top_k: 5 });
  });

  describe('a model that decides itself how much to think', () => {
    const named = (upstreamModel: string, id = 'acme/x'): Candidate => {
      const { model } = candidateWith();
      return { upstreamModel, model: { ...model, id } } as unknown as Candidate;
    };
    const adaptive = { type: 'adaptive', display: 'summarized' };

    test.each([
      ['claude-opus-4-7', true],
      ['claude-opus-4.8', true],
      ['claude-sonnet-5', true],
      ['claude-haiku-5-5-20261001', true],
      ['us.anthropic.claude-opus-4-7-v1:0', true],
      ['anthropic--claude-4.7-opus', true],
      ['claude-fable-5-1', true],
      ['claude-mythos-preview', true],
      ['claude-opus-4-6', false],
      ['claude-sonnet-4-20250514', false],
      ['claude-opus-4-1@20250805', false],
      ['claude-3-7-sonnet-20250219', false],
      ['claude-3-opus-20240229', false],
      ['claude-2.1', false],
    ])('CHAT-16 %s gets an effort and no sampling: %s', (name, isItsOwnChoice) => {
      const sampling = { temperature: 0.5, topK: 5, stop: ['END'] };
      const body = encode({ reasoning: { effort: 'high' }, sampling, outputTokensMax: 8_000 }, named(name));
      expect(body.thinking).toEqual(isItsOwnChoice ? adaptive : enabled(6_400));
      expect(body.output_config).toEqual(isItsOwnChoice ? { effort: 'high' } : undefined);
      expect(body.stop_sequences).toEqual(['END']);
      const plain = encode({ sampling }, named(name));
      expect([plain.temperature, plain.top_k]).toEqual(isItsOwnChoice ? [undefined, undefined] : [0.5, 5]);
      expect(plain).not.toHaveProperty('thinking');
    });

    test('CHAT-16 a budget is the nearest effort, and the form of the answer stays beside it', () => {
      const outputOf = (change: Partial<Conversation>) => encode(change, named('claude-sonnet-5')).output_config;
      expect(outputOf({ reasoning: { tokensMax: 2_000 } })).toEqual({ effort: 'low' });
      expect(outputOf({ reasoning: { effort: 'minimal' } })).toEqual({ effort: 'low' });
      expect(outputOf({ reasoning: { effort: 'max' } })).toEqual({ effort: 'max' });
      expect(outputOf({ reasoning: { isEnabled: true } })).toBeUndefined();
      const responseFormat = { type: 'json-schema', name: 'n', schema: { type: 'string' } } as const;
      expect(outputOf({ reasoning: { effort: 'low' }, responseFormat })).toEqual({
        effort: 'low',
        format: { type: 'json_schema', schema: { type: 'string' } },
      });
    });

    test('CHAT-18 off is said only where it is accepted', () => {
      const off = (name: string) => thinking({ reasoning: { isEnabled: false } }, named(name));
      expect(off('claude-sonnet-5')).toEqual({ type: 'disabled' });
      expect(off('claude-haiku-5-5-20261007')).toEqual({ type: 'disabled' });
      expect(off('anthropic--claude-5.5-sonnet')).toEqual({ type: 'between_tools' });
      for (const name of ['claude-opus-4-7', 'claude-opus-5-5', 'claude-fable-5']) expect(off(name)).toBeUndefined();
    });

    test.each([
      ['claude-opus-5-5', false],
      ['us.anthropic.claude-sonnet-5-5-v1:0', false],
      ['claude-fable-5-1', false],
      ['claude-haiku-5-5', true],
      ['claude-opus-5', true],
      ['claude-fable-5', true],
      ['claude-3-5-sonnet-20241022', true],
    ])('TOOL-04 %s can be made to call a tool: %s; else it is told in words', (name, isForceable) => {
      const asked = { tools: [tool], reasoning: { effort: 'high' } };
      const body = encode({ ...asked, toolChoice: { name: 'f' } }, named(name));
      expect(body.tool_choice).toEqual(isForceable ? { type: 'tool', name: 'f' } : { type: 'auto' });
      const words = [{ type: 'text', text: expect.stringContaining('must call the tool f') }];
      expect(body.system).toEqual(isForceable ? undefined : words);
      expect(body.thinking).toEqual(name.startsWith('claude-3') ? undefined : adaptive);
      const any = encode({ ...asked, toolChoice: 'required' }, named(name));
      expect(any.tool_choice).toEqual({ type: isForceable ? 'any' : 'auto' });
      expect(any.system === undefined).toBe(isForceable);
      expect(encode({ ...asked, toolChoice: 'auto' }, named(name))).not.toHaveProperty('system');
    });

    test('CHAT-16 it keeps its effort in a round of tools whose thinking did not come back, and at a low limit', () => {
      const call = { type: 'tool-call' as const, id: 'a', name: 'f', argumentsText: '{}' };
      const result = { type: 'tool-result' as const, callId: 'a', content: [], isError: false };
      const messages: Message[] = [hello, { role: 'assistant', parts: [call] }, { role: 'tool', parts: [result] }];
      const asked = { messages, tools: [tool], reasoning: { effort: 'low' }, outputTokensMax: 500 };
      expect(encode(asked, named('claude-opus-4-7'))).toMatchObject({
        thinking: adaptive,
        output_config: { effort: 'low' },
      });
    });

    test('our own name tells where that of the provider does not', () => {
      expect(thinking({ reasoning: { effort: 'low' } }, named('my-deployment', 'anthropic/claude-opus-4.7'))).toEqual(
        adaptive,
      );
    });
  });

  test('a forced tool, an answer to continue, and a round of tools without its thinking go before thinking', () => {
    const reasoning = { effort: 'low' };
    const partial: Message = { role: 'assistant', parts: [{ type: 'text', text: 'So' }] };
    expect(thinking({ reasoning, tools: [tool], toolChoice: 'required' })).toBeUndefined();
    expect(thinking({ reasoning, tools: [tool], toolChoice: { name: 'f' } })).toBeUndefined();
    expect(thinking({ reasoning, tools: [tool], toolChoice: 'auto' })).toBeDefined();
    expect(thinking({ reasoning, messages: [hello, partial] })).toBeUndefined();
    expect(thinking({ reasoning, messages: [hello, partial, hello] })).toBeDefined();

    const call = { type: 'tool-call' as const, id: 'a', name: 'f', argumentsText: '{}' };
    const proof = { type: 'reasoning' as const, text: 'Hm.', signature: 's' };
    const asked: Message = { role: 'assistant', parts: [call] };
    const thought: Message = { role: 'assistant', parts: [proof, call] };
    const answered: Message = {
      role: 'tool',
      parts: [{ type: 'tool-result', callId: 'a', content: [], isError: false }],
    };
    expect(thinking({ reasoning, messages: [hello, asked, answered] })).toBeUndefined();
    expect(thinking({ reasoning, messages: [hello, thought, answered] })).toBeDefined();
    expect(thinking({ reasoning, messages: [hello, thought, answered, asked, answered] })).toBeDefined();
    expect(thinking({ reasoning, messages: [hello, asked, answered, partial, hello] })).toBeDefined();
    expect(
      thinking({ reasoning, messages: [hello, thought, answered, partial, hello, asked, answered] }),
    ).toBeUndefined();
  });
});

test('CHAT-23 TOOL-09 the end user and parallel calls are left out for other families', () => {
  const asked = { tools: [tool], endUserId: 'u-1', isParallelToolCalls: false };
  expect(encode(asked)).not.toHaveProperty('metadata');
  expect(encode(asked)).not.toHaveProperty('tool_choice');
});

test('the id of the end user goes where this API has it, if it fits', () => {
  expect(encode({ endUserId: 'u-1' }, keeper).metadata).toEqual({ user_id: 'u-1' });
  expect(encode({ endUserId: 'u'.repeat(257) }, keeper)).not.toHaveProperty('metadata');
  expect(encode({ endUserId: '' }, keeper)).not.toHaveProperty('metadata');
});
