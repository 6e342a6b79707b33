// Functions of a namespace have two names, and only this format knows the first. For every other format they are joined
// into one, `clock__sleep`; when the model calls it, the two are separated again with the help of the request's own
// list.

import { createHash } from 'node:crypto';
import type { JsonObject } from '../../canonical/json.ts';
import { type OfferedFunction, offeredFunctions, toolListsOf } from './offered-functions.ts';

/** The shortest limit among providers. */
const NAME_LENGTH_MAX = 64;
const DIGEST_LENGTH = 8;
const SEPARATOR = '__';

export type CalledName = Readonly<{ name: string; namespace: string | null }>;

export type ToolNames = Readonly<{
  /** Each function once, in its latest definition, with the name under which it is offered. */
  functions: ReadonlyMap<string, OfferedFunction>;
  join(called: CalledName): string;
  split(joined: string): CalledName;
  isCustom(joined: string): boolean;
}>;

export function readToolNames(body: JsonObject): ToolNames {
  const functions = new Map<string, OfferedFunction>();
  const offered = offeredFunctions(toolListsOf(body));
  // Plain names first, because they cannot be changed.
  for (const entry of offered) {
    if (entry.namespace === null) functions.set(String(entry.definition.name), entry);
  }
  const join = ({ name, namespace }: CalledName): string => {
    if (namespace === null) return name;
    const joined = joinName(namespace, name);
    return functions.get(joined)?.namespace === null ? withDigest(joined, namespace, name) : joined;
  };
  for (const entry of offered) {
    if (entry.namespace === null) continue;
    functions.set(join({ name: String(entry.definition.name), namespace: entry.namespace }), entry);
  }
  const split = (joined: string): CalledName => {
    const entry = functions.get(joined);
    if (entry === undefined) return { name: joined, namespace: null };
    return { name: String(entry.definition.name), namespace: entry.namespace };
  };
  return { functions, join, split, isCustom: (joined) => functions.get(joined)?.isCustom === true };
}

/** An upstream of the same format says both names itself. */
export const calledName = (
  { name, namespace }: Readonly<{ name: string; namespace?: string | undefined }>,
  names: ToolNames,
): CalledName => (namespace === undefined ? names.split(name) : { name, namespace });

function joinName(namespace: string, name: string): string {
  // Some agents end a namespace with the separator already.
  const joined = namespace.endsWith(SEPARATOR) ? namespace + name : namespace + SEPARATOR + name;
  const isFit = joined.length <= NAME_LENGTH_MAX && /^[a-zA-Z0-9_-]+$/.test(joined);
  return isFit ? joined : withDigest(joined, namespace, name);
}

/** A name that fits and is still unique. */
function withDigest(joined: string, namespace: string, name: string): string {
  const digest = createHash('sha256').update(`${namespace}\n${name}`).digest('hex').slice(0, DIGEST_LENGTH);
  const start = joined.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, NAME_LENGTH_MAX - DIGEST_LENGTH - 1);
  return `${start}_${digest}`;
}
