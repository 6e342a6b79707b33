// The secrets in a config document, in three states: clear in memory, sealed in the database, masked for people. A
// secret is sealed for its place, so that copying it under another provider's name in the database yields nothing.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { API_KEY_MASK, type ConfigDocument } from '../../contract/config.ts';
import { MAIN_KEY, type ProviderEntry } from '../../contract/config-providers.ts';
import { open, type SealingKey, seal } from '../../platform/crypto.ts';
import type { SealedColumn } from '../../platform/sealed-column.ts';
import { ConfigDocumentError, problemAt } from './config-problem.ts';
import { secretNames } from './protocols.ts';

/**
 * Where a secret stands: under `providers.<name>`, `guards.<name>` or `moderation`, as the member of that name or path.
 */
type Place = Readonly<{ owner: string; member: string }>;

type SecretMapper = (secret: string, place: Place) => string;

const API_KEY = 'api_key';
const API_KEYS = 'api_keys.';

function mapSecrets(document: ConfigDocument, map: SecretMapper): ConfigDocument {
  const mapped: ConfigDocument = { ...document };
  if (document.providers !== undefined) {
    mapped.providers = Object.fromEntries(
      Object.entries(document.providers).map(([name, provider]) => [
        name,
        mapKeys(mapMembers(provider, `providers.${name}`, map), `providers.${name}`, map),
      ]),
    );
  }
  if (document.moderation !== undefined) mapped.moderation = mapMembers(document.moderation, 'moderation', map);
  if (document.guards !== undefined) {
    mapped.guards = Object.fromEntries(
      Object.entries(document.guards).map(([name, guard]) => [name, mapMembers(guard, `guards.${name}`, map)]),
    );
  }
  return mapped;
}

function mapMembers<Entry extends object>(entry: Entry, owner: string, map: SecretMapper): Entry {
  const secrets = Object.entries(entry).flatMap(([member, value]) =>
    secretNames.has(member) && typeof value === 'string' && value !== ''
      ? [[member, map(value, { owner, member })] as const]
      : [],
  );
  return secrets.length === 0 ? entry : { ...entry, ...Object.fromEntries(secrets) };
}

/** Each of several keys of a provider is sealed for its own name. */
function mapKeys(entry: ProviderEntry, owner: string, map: SecretMapper): ProviderEntry {
  if (entry.api_keys === undefined) return entry;
  const keys = Object.entries(entry.api_keys).map(([name, { key, ...rest }]) => {
    const mapped = key === '' ? key : map(key, { owner, member: API_KEYS + name });
    return [name, { key: mapped, ...rest }] as const;
  });
  return { ...entry, api_keys: Object.fromEntries(keys) };
}

export const maskSecrets = (document: ConfigDocument): ConfigDocument => mapSecrets(document, () => API_KEY_MASK);

/** The place of an `api_key` has no member name, because it was sealed before other secrets existed. */
const sealedFor = ({ owner, member }: Place): string => (member === API_KEY ? owner : `${owner} ${member}`);

export function sealSecrets(document: ConfigDocument, key: SealingKey): ConfigDocument {
  return mapSecrets(document, (secret, place) => seal(key, secret, sealedFor(place)));
}

type OpenedDocument = Readonly<{
  document: ConfigDocument;
  /** Places whose secret was sealed with another key; they are empty in the document. */
  unreadable: readonly string[];
}>;

export function openSecrets(stored: ConfigDocument, key: SealingKey): OpenedDocument {
  const unreadable: string[] = [];
  const document = mapSecrets(stored, (sealed, place) => {
    const secret = open(key, sealed, sealedFor(place));
    if (secret === null) unreadable.push(place.owner);
    return secret ?? '';
  });
  return { document, unreadable };
}

/**
 * Puts the live document's secrets where the new one has the mask, so that a document that is read and sent back
 * changes nothing. A key belongs to the address that it was given with: where the address changes, the key has to be
 * given again.
 */
export function restoreMaskedSecrets(document: ConfigDocument, live: ConfigDocument): ConfigDocument {
  return mapSecrets(document, (secret, place) => {
    if (secret !== API_KEY_MASK) return secret;
    const kept = secretAt(live, place);
    if (kept === '') {
      throw new ConfigDocumentError([problemAt([place.owner, place.member], 'is the mask, but no key is stored')]);
    }
    if (addressAt(document, place) !== addressAt(live, place)) {
      throw new ConfigDocumentError([
        problemAt([place.owner, place.member], 'is the mask, but its address is another one: give the key again'),
      ]);
    }
    return kept;
  });
}

/** The main key may stand alone or among several, and may move from one to the other. */
function secretAt(document: ConfigDocument, { owner, member }: Place): string {
  const single = member.startsWith(API_KEYS) ? '' : textAt(document, { owner, member });
  if (single !== '') return single;
  const name = member === API_KEY ? MAIN_KEY : member.slice(API_KEYS.length);
  const keys = entryAt(document, owner)?.api_keys;
  const key = isJsonObject(keys) && Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (isJsonObject(key) && typeof key.key === 'string') return key.key;
  return member === API_KEYS + MAIN_KEY ? textAt(document, { owner, member: API_KEY }) : '';
}

/** The address that a key is sent to. */
const addressAt = (document: ConfigDocument, { owner }: Place): string =>
  ['protocol', 'base_url', 'token_url', 'form', 'url'].map((member) => textAt(document, { owner, member })).join(' ');

function textAt(document: ConfigDocument, { owner, member }: Place): string {
  const entry = entryAt(document, owner);
  const value = entry !== null && Object.hasOwn(entry, member) ? entry[member] : undefined;
  return typeof value === 'string' ? value : '';
}

function entryAt(document: ConfigDocument, owner: string): JsonObject | null {
  if (owner === 'moderation') return document.moderation ?? null;
  const [section, at] = owner.startsWith('guards.') ? [document.guards, 'guards.'] : [document.providers, 'providers.'];
  const entries: JsonObject = section ?? {};
  const name = owner.slice(at.length);
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  return isJsonObject(entry) ? entry : null;
}

export const sealedColumns: readonly SealedColumn[] = [
  {
    ...{ table: 'config_revisions', key: { revision: 'bigint' }, column: 'document', type: 'json' },
    purposes: ['catalog', 'catalog.api-keys'],
    rowsAtOnce: 8,
    mapSealed: (document, map) =>
      mapSecrets(document as ConfigDocument, (sealed, place) => map(sealed, sealedFor(place))),
  },
];
