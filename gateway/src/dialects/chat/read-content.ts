// The content of one message in the vendor-neutral form. It runs after the parser, so it refuses nothing; what it
// cannot read it leaves out.

import type { CacheControl, ContentPart, MediaSource, TextPart } from '../../canonical/conversation.ts';
import { isJsonObject, type JsonObject, objectOrEmpty } from '../../canonical/json.ts';

const UNKNOWN_MEDIA_TYPE = 'application/octet-stream';
const PDF_SIGNATURE_BASE64 = 'JVBERi';

export function readContent(message: JsonObject): readonly ContentPart[] {
  const { content } = message;
  if (typeof content === 'string') return [{ type: 'text', text: content, ...readMarker(message) }];
  if (!Array.isArray(content)) return [];
  const parts: ContentPart[] = [];
  for (const item of content) {
    const part = isJsonObject(item) ? readPart(item) : null;
    if (part !== null) parts.push(part);
  }
  return withMarker(parts, readMarker(message));
}

/** A marker on the message itself means its end, where the last part has none. */
function withMarker(parts: ContentPart[], marker: Readonly<{ cacheControl?: CacheControl }>): ContentPart[] {
  const last = parts.at(-1);
  if (last !== undefined && last.type !== 'audio' && last.type !== 'video' && marker.cacheControl !== undefined) {
    parts[parts.length - 1] = { ...marker, ...last };
  }
  return parts;
}

export function readMarker(holder: JsonObject): Readonly<{ cacheControl?: CacheControl }> {
  return isJsonObject(holder.cache_control) ? { cacheControl: holder.cache_control } : {};
}

export function isText(part: ContentPart): part is TextPart {
  return part.type === 'text';
}

function readPart(part: JsonObject): ContentPart | null {
  const marker = readMarker(part);
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? { type: 'text', text: part.text, ...marker } : null;
    case 'refusal':
      return typeof part.refusal === 'string' ? { type: 'text', text: part.refusal, ...marker } : null;
    case 'image_url': {
      const image = objectOrEmpty(part.image_url);
      if (typeof image.url !== 'string') return null;
      const detail = typeof image.detail === 'string' ? { detail: image.detail } : {};
      return { type: 'image', source: readSource(image.url), ...detail, ...marker };
    }
    case 'file': {
      const file = objectOrEmpty(part.file);
      if (typeof file.file_data !== 'string') return null;
      const filename = typeof file.filename === 'string' ? { filename: file.filename } : {};
      return { type: 'file', source: readSource(file.file_data), ...filename, ...marker };
    }
    case 'input_audio':
      return readAudio(part.input_audio);
    case 'video_url': {
      const video = objectOrEmpty(part.video_url);
      return typeof video.url === 'string' ? { type: 'video', source: readSource(video.url) } : null;
    }
    default:
      return null;
  }
}

/** The payload of an audio part, and of the request's own `input_audio`. */
export function readAudio(audio: unknown): ContentPart | null {
  if (!isJsonObject(audio) || typeof audio.data !== 'string' || typeof audio.format !== 'string') return null;
  return { type: 'audio', data: audio.data, format: audio.format };
}

function readSource(url: string): MediaSource {
  const comma = url.startsWith('data:') ? url.indexOf(',') : -1;
  if (comma === -1) return { kind: 'url', url };
  const [mediaType = ''] = url.slice('data:'.length, comma).split(';');
  const data = url.slice(comma + 1);
  return { kind: 'base64', mediaType: mediaType.toLowerCase() || guessMediaType(data), data };
}

function guessMediaType(data: string): string {
  return data.startsWith(PDF_SIGNATURE_BASE64) ? 'application/pdf' : UNKNOWN_MEDIA_TYPE;
}
