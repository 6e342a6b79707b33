// Where an image or a file of a request is: behind a URL, or inside the request as a base64 data URI.

import type { MediaSource } from '../canonical/conversation.ts';
import { isJsonObject } from '../canonical/json.ts';
import { ApiError } from '../errors/api-error.ts';

const URL_LENGTH_MAX = 8_192;
const DATA_URI_HEADER_LENGTH_MAX = 256;

/** Null for anything but a web URL or a base64 data URI with content. */
export function readMediaSource(address: string): MediaSource | null {
  if (address.startsWith('data:')) {
    const start = dataUriPayloadStart(address);
    if (start === -1) return null;
    const mediaType = address.slice('data:'.length, address.indexOf(';'));
    return { kind: 'base64', mediaType, data: address.slice(start) };
  }
  if (address.length > URL_LENGTH_MAX) return null;
  return /^https?:\/\/./i.test(address) ? { kind: 'url', url: address } : null;
}

/** Where the payload of a base64 data URI begins; -1 when the text is not one or holds nothing. */
export function dataUriPayloadStart(text: string): number {
  if (!text.startsWith('data:')) return -1;
  const header = text.slice(0, DATA_URI_HEADER_LENGTH_MAX);
  const comma = header.indexOf(',');
  return comma !== -1 && header.endsWith(';base64', comma) && text.length > comma + 1 ? comma + 1 : -1;
}

/** The address in an `image_url` of operations that are not conversations. */
export function readImageUrl(image: unknown, path: string): string {
  const url = isJsonObject(image) ? image.url : undefined;
  if (typeof url === 'string' && /^(?:https?:\/\/|data:image\/)/i.test(url)) return url;
  throw new ApiError('invalid_image_url', `${path}.image_url.url must be an http or https URL, or a data URI.`);
}
