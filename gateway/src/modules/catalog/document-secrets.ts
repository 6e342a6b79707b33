// The secrets inside a config document, in three states: clear in memory, sealed in the database, masked for people.
// A secret is sealed for its place, so that copying it under another provider's name in the database yields nothing.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { API_KEY_MASK, type ConfigDocument } from '../../contract/config.ts';
import { open, seal } from '../../platform/crypto.ts';
import { ConfigDocumentError, problemAt } from './config-problem.ts';
import { secretNames } from './protocols.ts';

/** Where a secret stands: under `providers.<name>` or `moderation`, as the member of that name. */
type Place = Readonly<{ owner: string; member: string }>;

type SecretMapper = (secret: string, place: Place) => string;

const API_KEY = 'api_key';

function mapSecrets(document: ConfigDocument, map: SecretMapper): ConfigDocument {
  const mapped: ConfigDocument = { ...document };
  if (document.providers !== undefined) {
    mapped.providers = Object.fromEntries(
      Object.entries(document.providers).map(([name, provider]) => [
        name,
        mapMembers(provider, `providers.${name}`, map),
      ]),
    );
  }
  if (document.moderation !== undefined) mapped.moderation = mapMembers(document.moderation, 'moderation', map);
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

export const maskSecrets = (document: ConfigDocument): ConfigDocument => mapSecrets(document, () => API_KEY_MASK);

/** The API key was there first and has no name in what it is sealed for. */
const sealedFor = ({ owner, member }: Place): string => (member === API_KEY ? owner : `${owner} ${member}`);

export function sealSecrets(document: ConfigDocument, key: Buffer): ConfigDocument {
  return mapSecrets(document, (secret, place) => seal(key, secret, sealedFor(place)));
}

export type OpenedDocument = Readonly<{
  document: ConfigDocument;
  /** Places whose secret was sealed with another key; they are empty in the document. */
  unreadable: readonly string[];
}>;

export function openSecrets(stored: ConfigDocument, key: Buffer): OpenedDocument {
  const unreadable: string[] = [];
  const document = mapSecrets(stored, (sealed, place) => {
    const secret = open(key, sealed, sealedFor(place));
    if (secret === null) unreadable.push(place.owner);
    return secret ?? '';
  });
  return { document, unreadable };
}

/**
 * Puts the live document's secrets where the new one holds the mask: what was read and sent back changes nothing. A key
 * is for the address that it was given with: where that changes, it has to be given again.
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
        problemAt([place.owner, place.member], 'is the mask, but base_url is another one: give the key again'),
      ]);
    }
    return kept;
  });
}

const secretAt = (document: ConfigDocument, place: Place): string => textAt(document, place);

/** Where a key goes. */
const addressAt = (document: ConfigDocument, { owner }: Place): string =>
  ['protocol', 'base_url'].map((member) => textAt(document, { owner, member })).join(' ');

function textAt(document: ConfigDocument, { owner, member }: Place): string {
  const providers: JsonObject = document.providers ?? {};
  const name = owner.slice('providers.'.length);
  const entry: unknown =
    owner === 'moderation' ? document.moderation : Object.hasOwn(providers, name) ? providers[name] : undefined;
  const value = isJsonObject(entry) && Object.hasOwn(entry, member) ? entry[member] : undefined;
  return typeof value === 'string' ? value : '';
}
