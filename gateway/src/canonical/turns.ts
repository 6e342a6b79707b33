// A conversation as a list that can be shortened: what each entry is, what belongs together, and how to write the body
// with fewer of them. Every dialect can show its body this way; nobody else needs to know where it keeps its messages.

import type { JsonObject } from './json.ts';

export type Turn = Readonly<{
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** Ids of the tool calls that are made here, and of those that are answered here. */
  calls: readonly string[];
  answers: readonly string[];
  /** Worthless, or refused, without the entry that follows it. */
  leadsToNext: boolean;
  /** What of it the model is shown. */
  content: unknown;
}>;

export type Turns = Readonly<{
  list: readonly Turn[];
  /** What the model is shown besides: instructions, tools, a schema. */
  frame: readonly unknown[];
  /** A new body with these entries only, in their order. */
  keep(indexes: ReadonlySet<number>): JsonObject;
}>;
