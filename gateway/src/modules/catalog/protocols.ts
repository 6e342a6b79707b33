// What a provider's entry may and must contain, by its protocol, read from catalog/protocols.json: settings beyond
// those of every provider, and the vendor's address for entries without one. The code of a protocol is in
// upstreams/protocols; a test compares the two.

import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { MAIN_KEY, type ProviderEntry } from '../../contract/config-providers.ts';
import { assert } from '../../platform/assert.ts';

const SettingRule = Type.Object(
  {
    required: Type.Optional(Type.Boolean()),
    /** Sealed in the database and masked wherever a document is shown. */
    secret: Type.Optional(Type.Boolean()),
    pattern: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

const ProtocolRule = Type.Object(
  {
    /** Organizations may bring upstreams of this protocol, because an address and a key are all it needs. */
    own: Type.Optional(Type.Boolean()),
    settings: Type.Record(Type.String(), SettingRule),
    /** Groups of settings, one of which must be complete. */
    needs: Type.Optional(Type.Array(Type.Array(Type.String(), { minItems: 1 }), { minItems: 1 })),
    /**
     * The first address whose settings are present; `{name}` stands for a setting. Without any, an entry must state its
     * address.
     */
    addresses: Type.Optional(
      Type.Array(
        Type.Object(
          { when: Type.Optional(Type.Record(Type.String(), Type.String())), base_url: Type.String() },
          { additionalProperties: false },
        ),
      ),
    ),
  },
  { additionalProperties: false },
);

const ProtocolsFile = Type.Record(Type.String(), ProtocolRule);

type ProtocolRule = Static<typeof ProtocolRule>;

/** The folder has the same place relative to the sources and to what is built from them. */
const PROTOCOLS_FILE = new URL('../../../catalog/protocols.json', import.meta.url);

const API_KEY = 'api_key';
/** What an entry of any protocol may hold. */
const COMMON_NAMES: ReadonlySet<string> = new Set([
  'protocol',
  'base_url',
  API_KEY,
  'api_keys',
  'data_collection',
  'preset',
  'timeouts',
  'responses',
  'completions',
  'plugins',
]);
const PLACEHOLDER = /\{(\w+)\}/g;

const rules = readRules();

function readRules(): ReadonlyMap<string, ProtocolRule> {
  const data: unknown = JSON.parse(readFileSync(PROTOCOLS_FILE, 'utf8'));
  assert(Value.Check(ProtocolsFile, data), 'catalog/protocols.json has the shape that protocols.ts reads');
  return new Map(Object.entries(data));
}

export const protocolNames: readonly string[] = [...rules.keys()];

/** Protocols of which organizations may bring upstreams; the first is the default. */
export const ownProtocolNames: readonly string[] = protocolNames.filter((name) => rules.get(name)?.own === true);

/** Members of an entry that are secret, whatever its protocol. */
export const secretNames: ReadonlySet<string> = new Set([
  API_KEY,
  ...[...rules.values()].flatMap(({ settings }) =>
    Object.entries(settings).flatMap(([name, { secret }]) => (secret === true ? [name] : [])),
  ),
]);

export type NamedKey = Readonly<{ name: string; key: string; weight: number }>;

/** The keys of a provider, `api_key` first. */
export function keysOf(entry: Pick<ProviderEntry, 'api_key' | 'api_keys'>): readonly NamedKey[] {
  const { api_key: main = '', api_keys: others = {} } = entry;
  return [
    ...(main === '' ? [] : [{ name: MAIN_KEY, key: main, weight: 1 }]),
    ...Object.entries(others).flatMap(([name, { key, weight = 1 }]) => (key === '' ? [] : [{ name, key, weight }])),
  ];
}

/** What the entry states beyond the members that every provider has. */
export function settingsOf(entry: ProviderEntry): Readonly<Record<string, string>> {
  const members = Object.entries(entry as Readonly<Record<string, unknown>>);
  return Object.fromEntries(
    members.flatMap(([name, value]) =>
      COMMON_NAMES.has(name) || typeof value !== 'string' || value === '' ? [] : [[name, value]],
    ),
  );
}

/** The provider's address; null when neither the entry nor its protocol states one. */
export function addressOf(entry: ProviderEntry): string | null {
  if (entry.base_url !== undefined) return entry.base_url;
  const settings = settingsOf(entry);
  const fitting = rules
    .get(entry.protocol)
    ?.addresses?.find(({ when = {} }) => Object.entries(when).every(([name, value]) => settings[name] === value));
  if (fitting === undefined) return null;
  const names = [...fitting.base_url.matchAll(PLACEHOLDER)].map(([, name]) => name ?? '');
  if (!names.every((name) => settings[name] !== undefined)) return null;
  return fitting.base_url.replace(PLACEHOLDER, (_, name: string) => settings[name] ?? '');
}

type SettingProblem = Readonly<{ name: string; message: string }>;

/** Settings that do not fit the protocol, by name. `suggest` finds a similar name among those given. */
export function settingProblems(
  entry: ProviderEntry,
  suggest: (name: string, known: Iterable<string>) => string,
): readonly SettingProblem[] {
  const rule = rules.get(entry.protocol);
  if (rule === undefined) {
    const known = suggest(entry.protocol, protocolNames);
    return [{ name: 'protocol', message: `expected one of ${protocolNames.join(', ')}${known}` }];
  }
  const settings = settingsOf(entry);
  const problems: SettingProblem[] = [];
  for (const name of Object.keys(entry)) {
    if (COMMON_NAMES.has(name) || Object.hasOwn(rule.settings, name)) continue;
    problems.push({ name, message: `unknown key${suggest(name, [...COMMON_NAMES, ...Object.keys(rule.settings)])}` });
  }
  for (const [name, { required, pattern }] of Object.entries(rule.settings)) {
    const value = settings[name];
    if (value === undefined && required === true) problems.push({ name, message: 'is missing' });
    if (value !== undefined && pattern !== undefined && !new RegExp(pattern).test(value)) {
      problems.push({ name, message: 'has characters that cannot be part of it' });
    }
  }
  const [first] = keysOf(entry);
  return [
    ...problems,
    ...missingNeeds(rule, { ...settings, ...(first === undefined ? {} : { [API_KEY]: first.key }) }),
  ];
}

function missingNeeds({ needs }: ProtocolRule, given: Readonly<Record<string, string>>): readonly SettingProblem[] {
  if (needs === undefined || needs.some((group) => group.every((name) => given[name] !== undefined))) return [];
  const groups = needs.map((group) => group.join(' and ')).join(', or ');
  return [{ name: needs[0]?.[0] ?? API_KEY, message: `is missing: there must be ${groups}` }];
}
