// An organization's rule on what may be in the requests of its keys, as it is kept and shown.

const FILTER_TYPES = ['template', 'keyword', 'regex'] as const;
const FILTER_ACTIONS = ['block', 'redact', 'flag'] as const;

/** What a rule looks at: what is sent to models, what they answer, or both. */
const FILTER_SIDES = ['input', 'output', 'both'] as const;

type FilterSide = (typeof FILTER_SIDES)[number];
type FilterType = (typeof FILTER_TYPES)[number];
type FilterAction = (typeof FILTER_ACTIONS)[number];

export type FilterRule = Readonly<{
  id: string;
  orgId: string;
  name: string;
  type: FilterType;
  /** The id of a template, a word or phrase, or a regular expression. */
  pattern: string;
  action: FilterAction;
  appliesTo: FilterSide;
  isEnabled: boolean;
  /** The size of a regular expression's program, which is what matching costs. */
  programSize: number;
  createdAt: Date;
  updatedAt: Date;
}>;

/** An organization has at most this many, switched on or not. */
export const RULES_MAX = 100;
