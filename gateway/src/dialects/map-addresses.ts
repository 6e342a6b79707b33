// Finds where a conversation's body names pictures, files and videos by their address, in any dialect, and replaces
// them in one walk. Tools' arguments are not walked, because no provider fetches those.

import type { EmbeddedMedia } from '../canonical/conversation.ts';
import { isJsonObject, type JsonObject } from '../canonical/json.ts';

/** `made` is a picture in an answer that has come back. */
type AddressedKind = 'image' | 'file' | 'video' | 'made';

/** The replacement; null leaves the address. */
type ReplaceAddress = (url: string, kind: AddressedKind) => EmbeddedMedia | null;

const MADE = 'images';
const BODY_MEMBERS = ['messages', 'input'] as const;
/** Members of messages, items and parts that contain other parts. */
const PART_MEMBERS = ['content', 'output', 'source', MADE] as const;
const ADDRESS = /^https?:\/\//i;

/** The same body where nothing changes. */
export function mapAddresses(body: JsonObject, replace: ReplaceAddress): JsonObject {
  return mapMembers(body, BODY_MEMBERS, replace);
}

function mapMembers(object: JsonObject, names: readonly string[], replace: ReplaceAddress): JsonObject {
  let mapped = object;
  for (const name of names) {
    const value = object[name];
    if (typeof value !== 'object' || value === null) continue;
    const changed = mapValue(value, name === MADE ? (url) => replace(url, 'made') : replace);
    if (changed !== value) mapped = { ...mapped, [name]: changed };
  }
  return mapped;
}

function mapValue(value: object, replace: ReplaceAddress): object {
  if (Array.isArray(value)) return mapList(value, replace);
  return isJsonObject(value) ? mapPart(value, replace) : value;
}

function mapList(list: readonly unknown[], replace: ReplaceAddress): readonly unknown[] {
  let mapped: unknown[] | null = null;
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    if (typeof item !== 'object' || item === null) continue;
    const changed = mapValue(item, replace);
    if (changed === item) continue;
    mapped ??= [...list];
    mapped[index] = changed;
  }
  return mapped ?? list;
}

function mapPart(part: JsonObject, replace: ReplaceAddress): JsonObject {
  switch (part.type) {
    case 'image_url':
    case 'input_image':
      return mapDataUri(part, 'image_url', (url) => replace(url, 'image'));
    case 'video_url':
      return mapDataUri(part, 'video_url', (url) => replace(url, 'video'));
    case 'image':
      return mapSource(part, (url) => replace(url, 'image'));
    case 'document':
      return mapDocument(part, replace);
    default:
      return mapMembers(part, PART_MEMBERS, replace);
  }
}

/** A document may consist of parts, with pictures among them. */
function mapDocument(part: JsonObject, replace: ReplaceAddress): JsonObject {
  const mapped = mapSource(part, (url) => replace(url, 'file'));
  return mapped === part ? mapMembers(part, PART_MEMBERS, replace) : mapped;
}

type Replace = (url: string) => EmbeddedMedia | null;

const isAddress = (value: unknown): value is string => typeof value === 'string' && ADDRESS.test(value);

/** The address is the member itself, or is within it. */
function mapDataUri(part: JsonObject, name: string, replace: Replace): JsonObject {
  const value = part[name];
  const url = isJsonObject(value) ? value.url : value;
  const media = isAddress(url) ? replace(url) : null;
  if (media === null) return part;
  const dataUri = `data:${media.mediaType};base64,${media.data}`;
  return { ...part, [name]: isJsonObject(value) ? { ...value, url: dataUri } : dataUri };
}

function mapSource(part: JsonObject, replace: Replace): JsonObject {
  const { source } = part;
  if (!isJsonObject(source) || source.type !== 'url' || !isAddress(source.url)) return part;
  const media = replace(source.url);
  if (media === null) return part;
  return { ...part, source: { type: 'base64', media_type: media.mediaType, data: media.data } };
}
