// The dialect of moderations. Without a model, or with the model `builtin`, the gateway's own policy answers: it is
// local, costs nothing and leaves no record. Its categories have the names that clients of this interface know.

import { type Content, JSON_TYPE } from '../../canonical/answer.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { Judge, ModerationRequest } from '../../canonical/operation.ts';
import { ApiError } from '../../errors/api-error.ts';
import { newId } from '../../platform/ids.ts';
import { type Dialect, JSON_ONLY } from '../dialect.ts';
import { BUILT_IN, parseModerationRequest } from './parse-request.ts';

const CATEGORIES: readonly string[] = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
];

/** The public names of the built-in categories; a category that is missing here counts as illicit. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  hate: ['hate'],
  self_harm: ['self-harm'],
  sexual_minors: ['sexual', 'sexual/minors'],
  violence: ['violence'],
  weapons: ['illicit', 'illicit/violent'],
};

export const createModerationDialect = (judge: Judge): Dialect<'moderation'> => ({
  operation: 'moderation',
  format: 'moderation',
  forwardedHeaders: [],
  intake: JSON_ONLY,
  read: ({ body }) => parseModerationRequest(body),
  answerHere: (request, owner) => (request.modelName === BUILT_IN ? judgeHere(request, owner, judge) : null),
  render: ({ results }, { id, modelId }, { costUsd }) =>
    contentOf({ id, model: modelId, results, usage: { cost: costUsd } }),
});

async function judgeHere({ inputTexts, needs }: ModerationRequest, owner: string, judge: Judge): Promise<Content> {
  if (needs.imageInput) {
    throw new ApiError('invalid_modality_for_model', 'The built-in policy judges texts. Name a model for pictures.');
  }
  const found = await judge(
    inputTexts.map((texts) => texts.join('\n')),
    owner,
  );
  return contentOf({ id: newId('mod'), model: BUILT_IN, results: found.map(resultOf), usage: { cost: 0 } });
}

function resultOf(found: ReadonlySet<string>): JsonObject {
  const named = new Set([...found].flatMap((category) => NAMES[category] ?? ['illicit']));
  const each = <Value>(describe: (isIn: boolean) => Value) =>
    Object.fromEntries(CATEGORIES.map((category) => [category, describe(named.has(category))]));
  return {
    flagged: named.size > 0,
    categories: each((isIn) => isIn),
    // A phrase is there or not, so there are no scores in between.
    category_scores: each((isIn) => (isIn ? 1 : 0)),
    category_applied_input_types: each((isIn) => (isIn ? ['text'] : [])),
  };
}

const contentOf = (answer: JsonObject): Content => ({
  type: JSON_TYPE,
  body: JSON.stringify(answer),
});
