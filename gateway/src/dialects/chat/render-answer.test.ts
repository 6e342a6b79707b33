// A whole answer that came in another format, as a client of this dialect sees it.

import { expect, test } from 'vitest';
import { deepFreeze } from '../../../test/translation/deep-freeze.ts';
import type { Answer } from '../../canonical/answer.ts';
import type { AssistantPart } from '../../canonical/conversation.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import { chatDialect } from './chat-dialect.ts';

const PARTS: readonly AssistantPart[] = [
  { type: 'reasoning', text: 'hm', signature: 'sig' },
  { type: 'reasoning', text: '', redactedData: 'red' },
  { type: 'text', text: 'a' },
  { type: 'text', text: 'b' },
  { type: 'tool-call', id: 't1', name: 'f', argumentsText: '{"a":  "ü"}' },
];

function render(change: Partial<Answer>, body: object = {}) {
  const request = chatDialect.parse({ model: 'acme/one', messages: [{ role: 'user', content: 'Hi' }], ...body });
  const answer = {
    parts: PARTS,
    finishReason: 'stop',
    nativeFinishReason: null,
    stopSequence: null,
    usage: null,
    ...change,
  };
  const context = { id: 'gen-1', modelId: 'acme/one', createdSeconds: 17, request };
  const bill = { usage: { ...zeroUsage, promptTokens: 3, completionTokens: 4, reasoningTokens: 2 }, costUsd: 0.25 };
  return JSON.parse(chatDialect.renderAnswer(deepFreeze(answer as Answer), context, bill));
}

test('CHAT-33 CHAT-34 CHAT-35 CHAT-36 CHAT-38 CHAT-39 TOOL-06 all members, and none that nobody supplied', () => {
  expect(render({ finishReason: 'tool_calls', nativeFinishReason: 'tool_use' })).toEqual({
    id: 'gen-1',
    object: 'chat.completion',
    created: 17,
    model: 'acme/one',
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'ab',
          reasoning: 'hm',
          reasoning_details: [
            { type: 'reasoning.text', text: 'hm', signature: 'sig', index: 0 },
            { type: 'reasoning.encrypted', data: 'red', index: 1 },
          ],
          tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{"a":  "ü"}' } }],
        },
        finish_reason: 'tool_calls',
        native_finish_reason: 'tool_use',
      },
    ],
    usage: expect.objectContaining({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cost: 0.25 }),
  });
});

test('CHAT-34 CHAT-35 no text is null, and no native reason is no member', () => {
  const [choice] = render({ parts: PARTS.slice(4) }).choices;
  expect(choice.message.content).toBeNull();
  expect(choice).not.toHaveProperty('native_finish_reason');
  expect(render({ parts: [] }).choices[0].message).toEqual({ role: 'assistant', content: null });
});

test('CHAT-17 hidden thinking leaves no trace but its count', () => {
  const answer = render({}, { reasoning: { exclude: true } });
  expect(Object.keys(answer.choices[0].message)).toEqual(['role', 'content', 'tool_calls']);
  expect(answer.usage.completion_tokens_details.reasoning_tokens).toBe(2);
});

test('an answer sent back unchanged holds all that it held', () => {
  const { message } = render({}).choices[0];
  const back = chatDialect.parse({ model: 'acme/one', messages: [{ role: 'user', content: 'Hi' }, message] });
  const [thought, redacted, , , call] = PARTS;
  expect(back.toConversation().messages[1]?.parts).toEqual([thought, redacted, { type: 'text', text: 'ab' }, call]);
});
