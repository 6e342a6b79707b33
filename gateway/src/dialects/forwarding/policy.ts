// What may be sent to a provider under the platform's own keys, read from catalog/forwarding.json: the known names of
// fields, items, tools, plugins and headers, each with its fate. An unknown name is passed on, unless it looks like a
// reference.

import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Format } from '../../canonical/format.ts';
import { assert } from '../../platform/assert.ts';

const Word = Type.Union([
  Type.Literal('pass'),
  /** Left out. */
  Type.Literal('omit'),
  /** The call is refused, because leaving it out would change the request. */
  Type.Literal('refuse'),
  /** Sent as a hash that no other account can produce. */
  Type.Literal('hash'),
  /** Passed on where a web search has a price. */
  Type.Literal('search'),
  /** Passed on where the use of a provider's tool has a price. */
  Type.Literal('hosted'),
  /** The caller's own data, whatever its members are called. */
  Type.Literal('opaque'),
  Type.Literal('tools'),
]);

const strict = { additionalProperties: false };
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

/** A value that is passed on where it is ordinary, or where the extra `<extra>=<value>` has a price. */
const Priced = Type.Object(
  {
    extra: Type.String(),
    ordinary: Type.Optional(Type.Array(Scalar)),
    /** Sent in its place; without it the member is left out. */
    instead: Type.Optional(Scalar),
    /** Its extra cost is counted in tokens, where these have a price. */
    isMetered: Type.Optional(Type.Boolean()),
    /** The extra is that the member has a value, whichever it is. */
    isPresence: Type.Optional(Type.Boolean()),
  },
  strict,
);

/** A value with its own price in every list. */
const Listed = Type.Object({ price: Type.Literal('cacheWriteHour'), ordinary: Type.Array(Scalar) }, strict);

const Members = Type.Object(
  {
    members: Type.Record(Type.String(), Type.Union([Word, Priced, Listed])),
    /** For a text in place of the object. */
    text: Type.Optional(Type.Literal('refuse')),
    /** All other members are the caller's own data. */
    isOpaque: Type.Optional(Type.Boolean()),
    /** What stands before it is written to a cache. */
    isCacheMark: Type.Optional(Type.Boolean()),
  },
  strict,
);

const Fate = Type.Union([Word, Priced, Listed, Members]);

const ItemRule = Type.Object(
  {
    /** Without this member the item only refers to one that the provider keeps. */
    needs: Type.Optional(Type.String()),
    /** Its id has no meaning in the request itself. */
    id: Type.Optional(Type.Literal('hash')),
    /** With this member, which the provider has bound to the id, the id stays. */
    unless: Type.Optional(Type.String()),
  },
  strict,
);

const Spelling = Type.Object(
  {
    /** Values that do not ask for it. */
    off: Type.Optional(Type.Array(Scalar)),
    members: Type.Optional(Type.Record(Type.String(), Type.Array(Scalar))),
    /** Other members do not belong to it. */
    isPart: Type.Optional(Type.Boolean()),
  },
  strict,
);

/** Passed on where longer prompts have prices of their own, or where an extra that the body asks for has one. */
const Flag = Type.Union([Word, Type.Literal('tiers'), Type.Object({ extra: Type.String() }, strict)]);

const Fates = Type.Record(Type.String(), Fate);

const PolicyFile = Type.Object(
  {
    opaque: Type.Array(Type.String()),
    passing: Type.Array(Type.String()),
    /** Fields that the gateway reads itself: they decide what is held, charged and reviewed. */
    read: Type.Array(Type.String()),
    anywhere: Fates,
    items: Type.Record(Type.String(), Type.Union([Word, ItemRule])),
    /** The beginnings of texts that are names of files. */
    texts: Type.Array(Type.String()),
    tools: Type.Record(Type.String(), Word),
    plugins: Type.Record(Type.String(), Word),
    thinking: Type.Record(Type.String(), Spelling),
    formats: Type.Record(Type.String(), Fates),
    headers: Type.Record(Type.String(), Type.Record(Type.String(), Flag)),
  },
  strict,
);

export type Word = Static<typeof Word>;
export type Fate = Static<typeof Fate>;
export type ItemRule = Static<typeof ItemRule>;
export type ItemFate = Word | ItemRule;
export type PricedRule = Static<typeof Priced>;
export type ListedRule = Static<typeof Listed>;
export type MembersRule = Static<typeof Members>;
export type FlagFate = Static<typeof Flag>;
export type ThinkingSpelling = Static<typeof Spelling>;
export type Policy = Static<typeof PolicyFile>;

/** The folder has the same place relative to the sources and to what is built from them. */
const POLICY_FILE = new URL('../../../catalog/forwarding.json', import.meta.url);

function readPolicy(): Policy {
  const data: unknown = JSON.parse(readFileSync(POLICY_FILE, 'utf8'));
  assert(Value.Check(PolicyFile, data), 'catalog/forwarding.json has the shape that policy.ts reads');
  return data;
}

export const policy: Policy = readPolicy();

/** Names of data that mean something else as a field of the body itself. */
const OPAQUE_INSIDE_ONLY = new Set(['input', 'parameters', 'schema', 'arguments']);

const opaqueFates = (names: readonly string[]): [string, Fate][] => names.map((name) => [name, 'opaque']);

/** Within the body, at any depth. */
export const insideFates: ReadonlyMap<string, Fate> = new Map<string, Fate>([
  ...opaqueFates(policy.opaque),
  ...Object.entries(policy.anywhere),
  ['tools', 'tools'],
]);

const fieldFates = new Map<string, ReadonlyMap<string, Fate>>(
  Object.entries(policy.formats).map(([format, fates]) => [format, fatesOf(fates)]),
);

function fatesOf(fates: Readonly<Record<string, Fate>>): ReadonlyMap<string, Fate> {
  return new Map<string, Fate>([
    ...[...insideFates].filter(([name]) => !OPAQUE_INSIDE_ONLY.has(name)),
    ...Object.entries(policy.formats.every ?? {}),
    ...Object.entries(fates),
  ]);
}

/** For the body's own fields. */
export function fatesOfFields(format: Format): ReadonlyMap<string, Fate> {
  return fieldFates.get(format) ?? insideFates;
}

export const itemFates: ReadonlyMap<unknown, ItemFate> = new Map(Object.entries(policy.items));

const toolFates: ReadonlyMap<string, Word> = new Map(Object.entries(policy.tools));

/** Names of tools contain the date of their version. */
const VERSION = /_(?:\d{8}|\d{4}_\d{2}_\d{2})$/;

/** Undefined for an unknown tool. A tool without a type is the caller's own. */
export function toolFate(type: unknown): Word | undefined {
  if (type === undefined || type === null) return 'pass';
  if (typeof type !== 'string') return undefined;
  return toolFates.get(type) ?? toolFates.get(type.replace(VERSION, ''));
}

const pluginFates: ReadonlyMap<unknown, Word> = new Map(Object.entries(policy.plugins));

/** Whether a provider that takes plugins gets this one: an unknown one always, others where somebody pays for them. */
export function passesPlugin(id: unknown, terms: Readonly<{ searches: boolean; hostedTools: boolean }>): boolean {
  const fate = pluginFates.get(id) ?? 'pass';
  return fate === 'pass' || (fate === 'search' && terms.searches) || (fate === 'hosted' && terms.hostedTools);
}

/** Its provider charges for it beside the tokens, and it is no search. */
export const isPaidPlugin = (id: unknown): boolean => pluginFates.get(id) === 'hosted';

const meantNames: ReadonlySet<string> = new Set([
  ...policy.read,
  ...Object.keys(policy.anywhere),
  ...Object.keys(policy.thinking),
  ...Object.values(policy.formats).flatMap((fates) => Object.keys(fates)),
]);

/** Most names of fields; no other can be a disguise. */
const PLAIN_NAME = /^[a-z0-9_]*$/;

/**
 * Another spelling of a field that has a meaning here. Programs of some languages read names in any case, and forms
 * with brackets, the last one being what counts: the provider would read what nobody has paid for or looked at.
 */
export function isDisguised(name: string): boolean {
  if (PLAIN_NAME.test(name)) return false;
  // Upper case first, because two letters of other alphabets have the lower case of ours.
  const [plain = ''] = name.toUpperCase().toLowerCase().trim().split('[');
  return plain !== name && meantNames.has(plain);
}

/** Names that look like references but point at something in the request itself. */
export const passingNames: ReadonlySet<string> = new Set(policy.passing);

/** Forms write inner members in brackets. */
const REFERENCE = /(?:_ids?|(?:_|[a-z])I[Dd]s?|_IDS|_reference|[a-z]Reference|\[id)(?:\](?:\[\d*\])*)?$/;

/** A stranger's field with such a name could refer to something in the account of the key's owner. */
export function looksLikeReference(name: string): boolean {
  return REFERENCE.test(name) && !passingNames.has(name);
}

/** Some providers insert one of their files into the conversation where a message is only its name. */
export function namesFile(text: string): boolean {
  for (const start of policy.texts) if (text.startsWith(start)) return true;
  return false;
}
