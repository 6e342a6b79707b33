// Content filters as an organization's administrators manage them, and the evidence that the operator may read.

import { type Static, Type } from '@sinclair/typebox';
import { oneOf, shortName } from './body-fields.ts';
import { oneOf as choice, count, flag, listOf, moment, named, nextPage, orNull, type Shape, text } from './shape.ts';

const strict = { additionalProperties: false };

const FILTER_TYPES = ['template', 'keyword', 'regex'] as const;
/**
 * What a rule of the type `template` may name. Each is found by gateway/src/modules/guardrails and named by the
 * console.
 */
export const FILTER_TEMPLATES = [
  'prompt_injection',
  'credit_card',
  'iban',
  'email',
  'phone',
  'national_id',
  'api_key',
  'private_key',
] as const;
export type FilterTemplate = (typeof FILTER_TEMPLATES)[number];

const FILTER_ACTIONS = ['block', 'redact', 'flag'] as const;
const FILTER_SIDES = ['input', 'output', 'both'] as const;

const PATTERN_LENGTH_MAX = 512;

const fields = {
  name: shortName,
  type: oneOf(FILTER_TYPES),
  pattern: Type.String({
    minLength: 1,
    maxLength: PATTERN_LENGTH_MAX,
    pattern: '^[^\\u0000]*$',
    description: `text of 1 to ${PATTERN_LENGTH_MAX} characters`,
  }),
  action: oneOf(FILTER_ACTIONS),
};
const appliesTo = oneOf(FILTER_SIDES);
const enabled = Type.Boolean({ description: 'true or false' });

export const NewFilterBody = Type.Object(
  { ...fields, appliesTo: Type.Optional(appliesTo), enabled: Type.Optional(enabled) },
  { ...strict, title: 'NewFilterBody' },
);

export const ChangeFilterBody = Type.Object(
  {
    ...Type.Partial(Type.Object(fields)).properties,
    appliesTo: Type.Optional(appliesTo),
    enabled: Type.Optional(enabled),
  },
  { ...strict, title: 'ChangeFilterBody' },
);
export type ChangeFilterBody = Static<typeof ChangeFilterBody>;

const TEST_LENGTH_MAX = 100_000;

export const TestFiltersBody = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: TEST_LENGTH_MAX,
      description: `text of 1 to ${TEST_LENGTH_MAX} characters`,
    }),
  },
  { ...strict, title: 'TestFiltersBody' },
);

export const FilterObject = Type.Object(
  {
    id: text('The id of the rule, used in paths.'),
    name: text('The name.'),
    type: choice(FILTER_TYPES, 'What the pattern is.'),
    pattern: text('A template, a keyword or a regular expression.'),
    action: choice(FILTER_ACTIONS, 'What is done with a match.'),
    appliesTo: choice(FILTER_SIDES, 'Which texts the rule checks: prompts, answers, or both.'),
    enabled: flag('False: the rule is skipped.'),
    createdAt: moment('When it was made.'),
    updatedAt: moment('When it was last changed.'),
  },
  named('ContentFilter'),
);
export type FilterObject = Shape<typeof FilterObject>;

export const FiltersAnswer = Type.Object({ rules: listOf(FilterObject) }, named('ContentFilterList'));
export type FiltersAnswer = Shape<typeof FiltersAnswer>;

/** What the rules would do with a text that a key of the organization sends. */
export const FilterTestAnswer = Type.Object(
  {
    allowed: flag('False: the text would be refused; `error` is the error that the caller would get.'),
    error: orNull(
      Type.Object({
        status: Type.Integer(),
        code: Type.Union([Type.String(), Type.Integer()]),
        message: Type.String(),
      }),
    ),
    matches: listOf(
      Type.Object({
        ruleId: Type.String(),
        name: Type.String(),
        action: choice(FILTER_ACTIONS, 'What is done with the match.'),
        start: count('From this character of the text.'),
        end: count('Up to this character of the text.'),
      }),
    ),
    redacted: text('The text as it would be sent upstream.'),
    undecided: listOf(Type.String(), 'Rules that could not be decided in time.'),
  },
  named('ContentFilterTest'),
);
export type FilterTestAnswer = Shape<typeof FilterTestAnswer>;

const evidenceFields = {
  id: text('The id of the evidence, used in paths.'),
  userId: text('Who sent it.'),
  email: orNull(text('Their address; null for a student, and when there is none any more.')),
  accountId: text('The account that would have paid.'),
  keyId: text('The key it was sent with.'),
  categories: listOf(Type.String(), 'What it violates.'),
  reviewer: text('The reviewer that refused it.'),
  operation: text('The kind of call, such as `chat`.'),
  model: text('The model that was asked for.'),
  occurrences: count('How often it was sent.'),
  cut: flag('True: only a part of the texts is kept.'),
  createdAt: moment('When it was first sent.'),
  lastSeenAt: moment('When it was last sent.'),
};

export const EvidenceObject = Type.Object(evidenceFields, named('EvidenceEntry'));
export type EvidenceObject = Shape<typeof EvidenceObject>;

export const EvidenceListAnswer = Type.Object(
  { data: listOf(EvidenceObject), next: nextPage('after') },
  named('EvidenceList'),
);
export type EvidenceListAnswer = Shape<typeof EvidenceListAnswer>;

export const EvidenceAnswer = Type.Object(
  {
    ...evidenceFields,
    content: orNull(text('The texts that were sent; null when they cannot be decrypted with the present secret.')),
  },
  named('Evidence'),
);
export type EvidenceAnswer = Shape<typeof EvidenceAnswer>;
