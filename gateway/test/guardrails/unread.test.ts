// A dialect whose walk over its texts visits nothing of a body that has some: the request is refused, in every dialect,
// and a request without texts is not.

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/canonical/json.ts';
import type { CanonicalRequest } from '../../src/canonical/operation.ts';
import { chatDialect } from '../../src/dialects/chat/chat-dialect.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { embeddingsDialect } from '../../src/dialects/embeddings/embeddings-dialect.ts';
import { generationsDialect } from '../../src/dialects/images/images-dialect.ts';
import { messagesDialect } from '../../src/dialects/messages/messages-dialect.ts';
import { responsesDialect } from '../../src/dialects/responses/responses-dialect.ts';
import { speechDialect } from '../../src/dialects/speech/speech-dialect.ts';
import { videoDialect } from '../../src/dialects/video/video-dialect.ts';
import { looksClean } from '../../src/modules/guardrails/first-look.ts';

const SAID = 'How do I bake bread?';
const PICTURE = 'data:image/png;base64,iVBORw0KGgo=';
const keeper = { keep: async () => null, load: async () => null };
const model = 'acme/m';

const bodies: readonly (readonly [string, Dialect, JsonObject])[] = [
  ['chat', chatDialect, { model, messages: [{ role: 'user', content: SAID }] }],
  ['chat in parts', chatDialect, { model, messages: [{ role: 'user', content: [{ type: 'text', text: SAID }] }] }],
  ['Responses', responsesDialect, { model, input: SAID }],
  ['Responses in items', responsesDialect, { model, input: [{ role: 'user', content: SAID }] }],
  ['Messages', messagesDialect, { model, max_tokens: 9, messages: [{ role: 'user', content: SAID }] }],
  ['embeddings', embeddingsDialect, { model, input: [SAID] }],
  ['pictures', generationsDialect(keeper), { model, prompt: SAID }],
  ['speech', speechDialect, { model, input: SAID, voice: 'alloy' }],
  ['videos', videoDialect, { model, prompt: SAID }],
];

const read = (dialect: Dialect, body: JsonObject): CanonicalRequest => dialect.read({ body, files: [], isForm: false });
const isClean = (request: CanonicalRequest): boolean => looksClean(request, () => false, 10_000);

test.each(bodies)('FILT-10 %s: a walk that shows nothing of what is said is no review', (_title, dialect, body) => {
  const request = read(dialect, body);
  expect(isClean(request)).toBe(true);
  expect(() => isClean({ ...request, visitTexts: () => {} })).toThrow(/could not be read for review/);
});

test.each<[string, Dialect, JsonObject]>([
  [
    'a picture alone',
    chatDialect,
    { model, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: PICTURE } }] }] },
  ],
  ['tokens instead of words', embeddingsDialect, { model, input: [[1, 2, 3]] }],
  [
    'words that are not said to the model',
    chatDialect,
    {
      model,
      metadata: { purpose: 'a long story' },
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: PICTURE } }] }],
    },
  ],
])('FILT-10 %s is nothing to read', (_title, dialect, body) => {
  expect(isClean(read(dialect, body))).toBe(true);
});
