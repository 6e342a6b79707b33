// Writes the parts of a message as content blocks. A function that returns an empty list leaves out what would make the
// API refuse the whole request: blank text, and thinking without a signature.

import type {
  CacheControl,
  ContentPart,
  FilePart,
  ImagePart,
  MediaSource,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import { isSealedSignature } from '../../../canonical/sealed-signature.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { fitCallName } from '../../call-ids.ts';
import { isTextFile, pictureTypeOf } from '../../embedded-files.ts';
import { asFailed } from '../../failed-result.ts';
import { parseArguments } from './parse-arguments.ts';

const ID_FORBIDDEN = /[^a-zA-Z0-9_-]/g;
const NAME_LENGTH_MAX = 128;

export function withCacheControl(block: JsonObject, cacheControl: CacheControl | undefined): JsonObject {
  return cacheControl === undefined ? block : { ...block, cache_control: cacheControl };
}

export function encodeText(part: TextPart): JsonObject[] {
  if (part.text.trim() === '') return [];
  return [withCacheControl({ type: 'text', text: part.text }, part.cacheControl)];
}

export function encodeContentPart(part: ContentPart): JsonObject[] {
  switch (part.type) {
    case 'text':
      return encodeText(part);
    case 'image':
      return [encodeImage(part)];
    case 'file':
      return [encodeFile(part)];
    case 'audio':
    case 'video':
      throw new ApiError('invalid_modality_for_model', `The provider of this model does not take ${part.type}.`);
  }
}

function encodeImage({ source, cacheControl }: ImagePart): JsonObject {
  return withCacheControl({ type: 'image', source: encodeSource(source) }, cacheControl);
}

function encodeFile({ source, filename, cacheControl }: FilePart): JsonObject {
  if (source.kind === 'base64' && source.mediaType.startsWith('image/')) {
    return encodeImage({ type: 'image', source, cacheControl });
  }
  const title = filename === undefined || filename.trim() === '' ? {} : { title: filename };
  return withCacheControl({ type: 'document', source: encodeDocumentSource(source), ...title }, cacheControl);
}

/** Plain text has its own kind of source; as base64 the API takes only PDF. */
function encodeDocumentSource(source: MediaSource): JsonObject {
  if (source.kind === 'url' || !isTextFile(source)) return encodeSource(source);
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(source.data, 'base64').toString('utf8') };
}

function encodeSource(source: MediaSource): JsonObject {
  if (source.kind === 'url') return { type: 'url', url: source.url };
  return { type: 'base64', media_type: pictureTypeOf(source), data: source.data };
}

/** Thinking is sent back with its signature or not at all: the API checks it, and other vendors' thinking has none. */
export function encodeReasoning(part: ReasoningPart): JsonObject[] {
  if (part.redactedData !== undefined) return [{ type: 'redacted_thinking', data: part.redactedData }];
  if (part.signature === undefined || part.signature === '' || isSealedSignature(part.signature)) return [];
  return [{ type: 'thinking', thinking: part.text, signature: part.signature }];
}

export function encodeToolCall(part: ToolCallPart): JsonObject {
  const input = parseArguments(part.argumentsText);
  return withCacheControl({ type: 'tool_use', id: part.id, name: encodeCallName(part.name), input }, part.cacheControl);
}

export function encodeToolResult(part: ToolResultPart): JsonObject {
  const said = part.content.flatMap(encodeContentPart);
  // A failure without a word is refused.
  const content = said.length === 0 && part.isError ? [{ type: 'text', text: asFailed('') }] : said;
  return withCacheControl(
    {
      type: 'tool_result',
      tool_use_id: part.callId,
      ...(content.length > 0 && { content }),
      ...(part.isError && { is_error: true }),
    },
    part.cacheControl,
  );
}

export const encodeCallName = (name: string): string => fitCallName(name, NAME_LENGTH_MAX);

/** Other vendors' ids may contain characters that are refused here. */
export function encodeCallId(id: string): string {
  return id.replace(ID_FORBIDDEN, (sign) => `_${sign.charCodeAt(0).toString(16)}`);
}
