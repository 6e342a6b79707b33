// Adds, replaces, weighs and removes the keys of a provider, one at a time. A key is tried before it is stored, and
// calls under way keep the key that they were sent with, so replacing a key interrupts nothing.

import { API_KEY_MASK, type ConfigDocument } from '../../contract/config.ts';
import { MAIN_KEY, PROVIDER_KEY_NAME, type ProviderEntry } from '../../contract/config-providers.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Change, ChangeOptions } from '../../modules/catalog/change-document.ts';
import { keysOf } from '../../modules/catalog/protocols.ts';
import type { ConnectServices } from './connect-provider.ts';
import { refusalOfKey } from './test-provider.ts';

export type KeyPlace = Readonly<{ provider: string; key: string }>;

type KeySetting = Readonly<{
  /** The stored key where it is left out. */
  apiKey?: string | undefined;
  weight?: number | undefined;
  /** False: store the key without asking the vendor. */
  test?: boolean | undefined;
}>;

export async function setProviderKey(
  place: KeyPlace,
  setting: KeySetting,
  services: ConnectServices,
  options: ChangeOptions,
): Promise<Change> {
  const { catalog } = services;
  entryAt(catalog.liveDocument(), place);
  if (!new RegExp(PROVIDER_KEY_NAME).test(place.key)) {
    throw new ApiError('http_400', 'The name of a key holds letters, digits, dots, hyphens and underscores.');
  }
  const edit = (live: ConfigDocument): ConfigDocument =>
    withEntry(live, place, (entry) => withKey(entry, place.key, setting));
  if (setting.apiKey !== undefined && setting.test !== false) {
    const provider = catalog.preview(edit).providers.get(place.provider);
    const keyed = provider?.keys?.find(({ name }) => name === place.key)?.provider ?? provider;
    const refusal = keyed === undefined ? null : await refusalOfKey(keyed, services);
    if (refusal !== null) {
      throw new ApiError(
        'http_400',
        `Nothing was changed: the key did not pass its test (${refusal.reason}). ${refusal.message}`,
      );
    }
  }
  return catalog.editDocument(edit, options);
}

export function removeProviderKey(
  place: KeyPlace,
  { catalog }: ConnectServices,
  options: ChangeOptions,
): Promise<Change> {
  // Looked at in the document that is changed: two operators who remove the last two keys at once must not both
  // succeed.
  return catalog.editDocument((live) => {
    const keys = keysOf(entryAt(live, place));
    if (!keys.some(({ name }) => name === place.key)) throw noKey();
    if (keys.length === 1)
      throw new ApiError('http_400', 'It is the only key of the provider: add another one first, or replace it.');
    return withEntry(live, place, (entry) => withoutKey(entry, place.key));
  }, options);
}

const noKey = (): ApiError => new ApiError('http_404', 'The provider has no key of this name.');

function entryAt({ providers = {} }: ConfigDocument, { provider }: KeyPlace): ProviderEntry {
  const entry = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (entry === undefined) throw new ApiError('http_404', 'There is no provider of this name.');
  return entry;
}

function withEntry(
  live: ConfigDocument,
  place: KeyPlace,
  change: (entry: ProviderEntry) => ProviderEntry,
): ConfigDocument {
  return { ...live, providers: { ...live.providers, [place.provider]: change(entryAt(live, place)) } };
}

/** A single key stays in `api_key` until it needs a weight. */
function withKey(entry: ProviderEntry, name: string, { apiKey, weight }: KeySetting): ProviderEntry {
  const known = keysOf(entry).find((key) => key.name === name);
  const key = apiKey ?? (known === undefined ? undefined : API_KEY_MASK);
  if (key === undefined) throw noKey();
  if (name === MAIN_KEY && entry.api_keys?.[MAIN_KEY] === undefined && weight === undefined)
    return { ...entry, api_key: key };
  const { api_key: main, ...rest } = entry;
  const before = entry.api_keys?.[name];
  const kept = { ...before, key, ...(weight === undefined ? {} : { weight }) };
  const single = name === MAIN_KEY || main === undefined ? {} : { api_key: main };
  return { ...rest, ...single, api_keys: { ...entry.api_keys, [name]: kept } };
}

function withoutKey(entry: ProviderEntry, name: string): ProviderEntry {
  const { api_key: main, api_keys: keys = {}, ...rest } = entry;
  const { [name]: removed, ...others } = keys;
  const isMain = name === MAIN_KEY && removed === undefined;
  return {
    ...rest,
    ...(main === undefined || isMain ? {} : { api_key: main }),
    ...(Object.keys(others).length === 0 ? {} : { api_keys: others }),
  };
}
