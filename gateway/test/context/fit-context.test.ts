// The decision by itself, for every dialect and without a gateway: which requests may be trimmed, what a trimmed
// request looks like to later stages, and that every result fits or is refused.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/canonical/json.ts';
import type { Model, ResolvedModel } from '../../src/canonical/model.ts';
import type { ConversationRequest } from '../../src/canonical/request.ts';
import { chatDialect } from '../../src/dialects/chat/chat-dialect.ts';
import type { ConversationDialect } from '../../src/dialects/conversation-dialect.ts';
import { messagesDialect } from '../../src/dialects/messages/messages-dialect.ts';
import { responsesDialect } from '../../src/dialects/responses/responses-dialect.ts';
import { ApiError } from '../../src/errors/api-error.ts';
import { estimateTokens } from '../../src/modules/tokens/estimate-tokens.ts';
import { fitContext } from '../../src/pipeline/fit-context.ts';

/** Only what the stage looks at. */
const resolved = (contextLength: number | null): ResolvedModel => {
  const model = { id: 'acme/one', contextLength, traits: { tokenizer: null } } as unknown as Model;
  return { model, shortcuts: [], isFreeVariant: false };
};

const talk = (length: number, words: number): JsonObject[] =>
  Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `#${index} ${'word '.repeat(words)}`,
  }));

const dialects: readonly (readonly [string, ConversationDialect, (turns: JsonObject[]) => JsonObject])[] = [
  ['chat', chatDialect, (messages) => ({ model: 'acme/one', messages })],
  ['responses', responsesDialect, (input) => ({ model: 'acme/one', input, store: false })],
  ['messages', messagesDialect, (messages) => ({ model: 'acme/one', messages, max_tokens: 16 })],
];

async function fit(
  dialect: ConversationDialect,
  body: JsonObject,
  contextLength: number | null,
): Promise<ConversationRequest> {
  const before = JSON.stringify(body);
  const resolution = { primary: resolved(contextLength), fallbacks: [], auto: null };
  const { request } = await fitContext(dialect.parse(body), resolution);
  expect(JSON.stringify(body)).toBe(before);
  return request as ConversationRequest;
}

const textOf = (request: ConversationRequest): string => JSON.stringify(request.toConversation().messages);

describe.each(dialects)('%s', (_, dialect, bodyOf) => {
  const body = bodyOf(talk(41, 400));
  const refusal = expect.objectContaining({ code: 'context_too_long', status: 400 });

  test('ROUTE-25 8,192 is trimmed unasked, 8,193 is not', async () => {
    const request = await fit(dialect, body, 8_192);
    expect(textOf(request)).toMatch(/#0 .*#40 /);
    expect(textOf(request)).not.toContain('#20 ');
    await expect(fit(dialect, body, 8_193)).rejects.toEqual(refusal);
  });

  test('ROUTE-23 ERR-33 the caller decides when it says so', async () => {
    await expect(fit(dialect, { ...body, transforms: [] }, 8_192)).rejects.toEqual(refusal);
    const request = await fit(dialect, { ...body, transforms: ['middle-out'] }, 8_193);
    expect(textOf(request)).not.toContain('#20 ');
  });

  test('ROUTE-24 a trimmed request is smaller in every way but the number of messages as sent', async () => {
    const whole = dialect.parse(body);
    const request = await fit(dialect, body, 4_096);
    expect(request.promptTokensEstimate).toBeLessThan(whole.promptTokensEstimate / 2);
    expect(request.toConversation().messages.length).toBeLessThan(20);
    expect(request.messageCount).toBe(41);
  });

  test('ERR-33 where the provider shortens the conversation, it says whether it is too long', async () => {
    const managed = { ...body, context_management: { edits: [] } };
    expect(textOf(await fit(dialect, managed, 8_193))).toContain('#20 ');
  });

  test('a model of unknown context takes everything, and so does one with room', async () => {
    expect(textOf(await fit(dialect, body, null))).toContain('#20 ');
    expect(textOf(await fit(dialect, body, 128_000))).toContain('#20 ');
  });

  test('ROUTE-24 ERR-33 property: it fits or is refused; the first and the last stay, in order', async () => {
    const turns = fc.array(fc.nat(300), { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(turns, fc.integer({ min: 50, max: 3_000 }), async (lengths, contextLength) => {
        const odd = lengths.length % 2 === 1 ? lengths : lengths.slice(1);
        const list = talk(odd.length, 0).map((turn, index) => ({
          ...turn,
          content: `${turn.content}${'word '.repeat(odd[index] ?? 0)}`,
        }));
        try {
          const text = textOf(await fit(dialect, bodyOf(list), contextLength));
          expect(estimateTokens(text) * 0.6).toBeLessThan(contextLength);
          const numbers = [...text.matchAll(/#(\d+) /g)].map((match) => Number(match[1]));
          expect([numbers[0], numbers.at(-1)]).toEqual([0, odd.length - 1]);
          expect(numbers).toEqual([...numbers].sort((left, right) => left - right));
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          expect(error).toEqual(refusal);
          const least = `${list[0]?.content}${list.at(-1)?.content}`;
          expect(estimateTokens(least) * 1.1 + 30).toBeGreaterThan(contextLength);
        }
      }),
      { numRuns: 60 },
    );
  });
});

test('ERR-33 RESP-04 items before a summary that the provider has sealed are for the provider to measure', async () => {
  const input = [...talk(41, 400), { type: 'compaction', encrypted_content: 'gAAA' }, { role: 'user', content: 'Hi.' }];
  const body = { model: 'acme/one', input, store: false };
  expect((await fit(responsesDialect, body, 8_193)).body.input).toEqual(input);
});
