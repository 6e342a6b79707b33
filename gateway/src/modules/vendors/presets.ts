// Vendors that can be connected without a config file: the address of each, how it takes a key, how it lists its
// models, which prices are its own. All of that is data in catalog/vendors; this file is its schema.

import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { assert } from '../../platform/assert.ts';

const strict = { additionalProperties: false };
const address = Type.String({ pattern: '^https?://\\S+$' });

export const VendorPreset = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: 60 }),
    protocol: Type.String(),
    /** `{name}` stands for a setting. Without it the protocol makes the address from its settings. */
    base_url: Type.Optional(address),
    /** Settings that it needs besides a key, by name, with a description for people. */
    settings: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z_]+$' }), Type.String({ minLength: 1 }))),
    /** The variable from which its own tools read the key. Without it there is no key. */
    key: Type.Optional(
      Type.Object(
        { variable: Type.String({ pattern: '^[A-Z][A-Z0-9_]+$' }), optional: Type.Optional(Type.Boolean()) },
        strict,
      ),
    ),
    models: Type.Object(
      {
        /** A path after the address, a whole address, as the protocol has it, from the price book, or not at all. */
        list: Type.String({ pattern: '^(?:/\\S+|https://\\S+|protocol|book|none)$' }),
        /** The form of the prices in the list, where it has any. */
        prices: Type.Optional(
          Type.Union(['usd-per-token', 'usd-per-million', 'metadata-per-million'].map((name) => Type.Literal(name))),
        ),
      },
      strict,
    ),
    /** How a model's id is made from the vendor's name for it: after the vendor, as it stands, or its last part. */
    names: Type.Union([Type.Literal('vendor'), Type.Literal('own'), Type.Literal('last')]),
    /** What ids begin with, where that is not the preset's own name. */
    vendor: Type.Optional(Type.String({ pattern: '^[a-z0-9-]+$' })),
    /** Its names in the price book; the first that knows a model is used. */
    prices: Type.Array(Type.String()),
    /** A server of the operator's own, whose tokens nobody bills. */
    own_machine: Type.Optional(Type.Boolean()),
    data_collection: Type.Union([Type.Literal('allow'), Type.Literal('deny')]),
    /** A server within the operator's network must not fetch addresses that callers name: the gateway does, and checks. */
    pictures: Type.Optional(Type.Literal('data')),
    /** The name under which it knows the limit of an answer, where it ignores the other. */
    output_limit: Type.Optional(Type.Literal('max_tokens')),
    responses: Type.Optional(Type.Boolean()),
    quirks: Type.Optional(Type.Array(Type.String({ minLength: 10 }))),
    documentation: address,
    source: address,
    /** When this was copied from its source. */
    written: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  },
  strict,
);
export type VendorPreset = Readonly<Static<typeof VendorPreset>>;

const PresetFile = Type.Record(Type.String({ pattern: '^[a-z0-9-]+$' }), VendorPreset);

/** The folder has the same place relative to the sources and to what is built from them. */
const FOLDER = new URL('../../../catalog/vendors/', import.meta.url);
const FILES = ['labs', 'hosts', 'servers'];

let presets: ReadonlyMap<string, VendorPreset> | undefined;

/** By the name that `provider add` takes; read when first asked for. */
export function vendorPresets(): ReadonlyMap<string, VendorPreset> {
  presets ??= new Map(FILES.flatMap((name) => Object.entries(readPresets(name))));
  return presets;
}

function readPresets(name: string): Static<typeof PresetFile> {
  const data: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));
  assert(Value.Check(PresetFile, data), `catalog/vendors/${name}.json has the form that presets.ts reads`);
  return data;
}

/** The preset that a provider was connected by, or whose address it has. */
export function presetOf(provider: Readonly<{ preset?: string | undefined; baseUrl: string }>): string | null {
  if (provider.preset !== undefined) return vendorPresets().has(provider.preset) ? provider.preset : null;
  const { baseUrl } = provider;
  for (const [name, { base_url: known }] of vendorPresets()) {
    if (known !== undefined && known === baseUrl) return name;
  }
  return null;
}

const PLACEHOLDER = /\{(\w+)\}/g;

/** A vendor's address, with its settings filled in; null where its protocol makes the address. */
export function presetAddress(preset: VendorPreset, settings: Readonly<Record<string, string>>): string | null {
  return preset.base_url?.replace(PLACEHOLDER, (_, name: string) => settings[name] ?? '') ?? null;
}

/** Settings that are only part of the address, and are not in the provider's entry. */
export function addressSettings(preset: VendorPreset): ReadonlySet<string> {
  return new Set([...(preset.base_url ?? '').matchAll(PLACEHOLDER)].map(([, name = '']) => name));
}
