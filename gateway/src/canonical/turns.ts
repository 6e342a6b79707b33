// A conversation as a list that can be shortened: what each entry is, what belongs together, and how to write the body
// with fewer entries. Every dialect can show its body this way; no other code needs to know where it keeps its
// messages.

import type { JsonObject } from './json.ts';

export type Turn = Readonly<{
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** Ids of the tool calls that are made here, and of those that are answered here. */
  calls: readonly string[];
  answers: readonly string[];
  /** Useless, or refused, without the entry that follows it. */
  leadsToNext: boolean;
  /** The part of it that the model is shown. */
  content: unknown;
}>;

export type Turns = Readonly<{
  list: readonly Turn[];
  /** What else the model is shown: instructions, tools, a schema. */
  frame: readonly unknown[];
  /** A new body with these entries only, in their order. */
  keep(indexes: ReadonlySet<number>): JsonObject;
}>;
