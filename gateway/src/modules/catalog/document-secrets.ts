// The API keys inside a config document, in three states: clear in memory, sealed in the database, masked for people.
// A key is sealed for its place, so that copying it under another provider's name in the database yields nothing.

import { isJsonObject } from '../../canonical/json.ts';
import { API_KEY_MASK, type ConfigDocument } from '../../contract/config.ts';
import { open, seal } from '../../platform/crypto.ts';
import { ConfigDocumentError, problemAt } from './config-problem.ts';

/** `place` is where the key stands: `providers.<name>` or `moderation`. */
type KeyMapper = (apiKey: string, place: string) => string;

function mapApiKeys(document: ConfigDocument, map: KeyMapper): ConfigDocument {
  const mapped: ConfigDocument = { ...document };
  if (document.providers !== undefined) {
    mapped.providers = Object.fromEntries(
      Object.entries(document.providers).map(([name, provider]) => {
        if (provider.api_key === undefined || provider.api_key === '') return [name, provider];
        return [name, { ...provider, api_key: map(provider.api_key, `providers.${name}`) }];
      }),
    );
  }
  const moderationKey = document.moderation?.api_key;
  if (typeof moderationKey === 'string' && moderationKey !== '') {
    mapped.moderation = { ...document.moderation, api_key: map(moderationKey, 'moderation') };
  }
  return mapped;
}

export const maskApiKeys = (document: ConfigDocument): ConfigDocument => mapApiKeys(document, () => API_KEY_MASK);

export function sealApiKeys(document: ConfigDocument, key: Buffer): ConfigDocument {
  return mapApiKeys(document, (apiKey, place) => seal(key, apiKey, place));
}

export type OpenedDocument = Readonly<{
  document: ConfigDocument;
  /** Places whose key was sealed with another secret; their keys are empty in the document. */
  unreadable: readonly string[];
}>;

export function openApiKeys(stored: ConfigDocument, key: Buffer): OpenedDocument {
  const unreadable: string[] = [];
  const document = mapApiKeys(stored, (sealed, place) => {
    const apiKey = open(key, sealed, place);
    if (apiKey === null) unreadable.push(place);
    return apiKey ?? '';
  });
  return { document, unreadable };
}

/** Puts the live document's keys where the new one holds the mask: what was read and sent back changes nothing. */
export function restoreMaskedKeys(document: ConfigDocument, live: ConfigDocument): ConfigDocument {
  return mapApiKeys(document, (apiKey, place) => {
    if (apiKey !== API_KEY_MASK) return apiKey;
    const kept = apiKeyAt(live, place);
    if (kept === '')
      throw new ConfigDocumentError([problemAt([place, 'api_key'], 'is the mask, but no key is stored')]);
    return kept;
  });
}

function apiKeyAt(document: ConfigDocument, place: string): string {
  if (place === 'moderation') {
    const moderation: unknown = document.moderation;
    return isJsonObject(moderation) && typeof moderation.api_key === 'string' ? moderation.api_key : '';
  }
  const name = place.slice('providers.'.length);
  const providers = document.providers ?? {};
  return (Object.hasOwn(providers, name) ? providers[name]?.api_key : undefined) ?? '';
}
