// Content filters as an organization's administrators manage them, and the evidence that the operator may look at.
// Unknown fields are refused by name.

import { type Static, Type } from '@sinclair/typebox';

const strict = { additionalProperties: false };

const FILTER_TYPES = ['template', 'keyword', 'regex'] as const;
const FILTER_ACTIONS = ['block', 'redact', 'flag'] as const;

const oneOf = <const Value extends string>(values: readonly Value[]) =>
  Type.Unsafe<Value>(Type.String({ pattern: `^(?:${values.join('|')})$`, description: `one of ${values.join(', ')}` }));

const PATTERN_LENGTH_MAX = 512;

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f][^\\u0000-\\u001f\\u007f]*$',
    description: 'text of 1 to 100 characters',
  }),
  type: oneOf(FILTER_TYPES),
  pattern: Type.String({
    minLength: 1,
    maxLength: PATTERN_LENGTH_MAX,
    pattern: '^[^\\u0000]*$',
    description: `text of 1 to ${PATTERN_LENGTH_MAX} characters`,
  }),
  action: oneOf(FILTER_ACTIONS),
};
const enabled = Type.Boolean({ description: 'true or false' });

export const NewFilterBody = Type.Object({ ...fields, enabled: Type.Optional(enabled) }, strict);

export const ChangeFilterBody = Type.Object(
  { ...Type.Partial(Type.Object(fields)).properties, enabled: Type.Optional(enabled) },
  strict,
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
  strict,
);

export type FilterObject = Readonly<{
  id: string;
  name: string;
  type: (typeof FILTER_TYPES)[number];
  pattern: string;
  action: (typeof FILTER_ACTIONS)[number];
  enabled: boolean;
  createdAt: string;
  updatedAt: string;
}>;

export type FiltersAnswer = Readonly<{ rules: readonly FilterObject[] }>;

/** What the rules would do with a text that a key of the organization sends. */
export type FilterTestAnswer = Readonly<{
  /** False when the text would be refused; `error` then says with what. */
  allowed: boolean;
  error: Readonly<{ status: number; code: string | number; message: string }> | null;
  matches: readonly Readonly<{
    ruleId: string;
    name: string;
    action: (typeof FILTER_ACTIONS)[number];
    /** From and up to this character of the text. */
    start: number;
    end: number;
  }>[];
  /** The text as it would be sent upstream. */
  redacted: string;
  /** Rules that could not be decided in time. */
  undecided: readonly string[];
}>;

export type EvidenceObject = Readonly<{
  id: string;
  userId: string;
  accountId: string;
  keyId: string;
  categories: readonly string[];
  reviewer: string;
  operation: string;
  model: string;
  occurrences: number;
  /** Only the beginning of what was sent is kept. */
  cut: boolean;
  createdAt: string;
  lastSeenAt: string;
}>;

export type EvidenceListAnswer = Readonly<{ data: readonly EvidenceObject[]; next: string | null }>;

/** `content` is null when it was sealed with another secret. */
export type EvidenceAnswer = EvidenceObject & Readonly<{ content: string | null }>;
