// The messages of a chat completions body. Many copies of this protocol take only a plain string where OpenAI also
// takes a list of texts, so text is one string wherever that loses nothing.

import type {
  AssistantPart,
  CacheControl,
  ContentPart,
  FilePart,
  ImagePart,
  MediaSource,
  Message,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { FamilyTraits } from '../../../canonical/model.ts';
import { asFailed } from '../../failed-result.ts';
import { MOVED_RESULT_TEXT } from './attached-results.ts';
import type { ThinkingBack } from './thinking-back.ts';

/**
 * Families whose cache works only with markers. OpenAI's own needs none, and elsewhere a marker may make the call fail:
 * it forces the list form of a text, and not every upstream ignores unknown members.
 */
const MARKER_FAMILIES: ReadonlySet<string> = new Set(['anthropic']);

export const TEXT_SEPARATOR = '\n\n';
/** A file needs a name here, and everything but PDFs is refused anyway. */
const UNNAMED_FILE = 'document.pdf';

type Media = ImagePart | FilePart;

export function encodeMessages(
  messages: readonly Message[],
  traits: FamilyTraits,
  thinkingBack: ThinkingBack,
): JsonObject[] {
  const encoded: JsonObject[] = [];
  /** Media that tools returned: they follow all results, which must come directly after their calls. */
  let media: Media[] = [];
  for (const message of messages) {
    if (media.length > 0 && message.role !== 'tool' && message.role !== 'user') {
      encoded.push({ role: 'user', content: encodeContent(media, traits) });
      media = [];
    }
    switch (message.role) {
      case 'system':
        encoded.push({ role: 'system', content: encodeContent(message.parts, traits), name: message.name });
        break;
      case 'user':
        encoded.push({
          role: 'user',
          content: encodeContent([...media, ...message.parts], traits),
          name: message.name,
        });
        media = [];
        break;
      case 'assistant':
        for (const answer of encodeAnswer(message.parts, message.name, traits)) {
          encoded.push({ ...answer, ...encodeThinking(message.parts, thinkingBack) });
        }
        break;
      default:
        for (const result of message.parts) encoded.push(encodeResult(result, media, traits));
    }
  }
  if (media.length > 0) encoded.push({ role: 'user', content: encodeContent(media, traits) });
  return encoded;
}

/** A member to spread, for families that use markers. */
export function markerOf(
  part: Readonly<{ cacheControl?: CacheControl | undefined }>,
  traits: FamilyTraits,
): Readonly<{ cache_control?: CacheControl }> {
  const { cacheControl } = part;
  return cacheControl !== undefined && MARKER_FAMILIES.has(traits.family) ? { cache_control: cacheControl } : {};
}

/**
 * Thinking of a model of this protocol is only text. What another vendor has signed or encrypted is not this model's.
 */
function encodeThinking(parts: readonly AssistantPart[], thinkingBack: ThinkingBack): JsonObject {
  if (thinkingBack === 'never') return {};
  const text = parts.flatMap((part) => (part.type === 'reasoning' && isPlain(part) ? [part.text] : [])).join('');
  return text === '' && thinkingBack !== 'always' ? {} : { reasoning_content: text };
}

const isPlain = ({ signature, redactedData, encryptedContent }: ReasoningPart): boolean =>
  signature === undefined && redactedData === undefined && encryptedContent === undefined;

/** Empty when nothing is left to send. */
function encodeAnswer(parts: readonly AssistantPart[], name: string | undefined, traits: FamilyTraits): JsonObject[] {
  const texts: TextPart[] = [];
  const calls: JsonObject[] = [];
  for (const part of parts) {
    if (part.type === 'text' && part.text !== '') texts.push(part);
    else if (part.type === 'tool-call') calls.push(encodeCall(part));
  }
  if (texts.length === 0 && calls.length === 0) return [];
  const content = texts.length === 0 ? null : encodeTexts(texts, '', traits);
  return [{ role: 'assistant', content, name, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
}

function encodeCall({ id, name, argumentsText }: ToolCallPart): JsonObject {
  // A call without parameters may have been streamed without any text, which is not JSON.
  return { id, type: 'function', function: { name, arguments: argumentsText === '' ? '{}' : argumentsText } };
}

/** The content of a result can only be text here; everything else goes to `media`. */
function encodeResult(result: ToolResultPart, media: Media[], traits: FamilyTraits): JsonObject {
  const texts: TextPart[] = [];
  const mediaBefore = media.length;
  for (const part of result.content) {
    if (part.type === 'text') texts.push(part);
    else media.push(part);
  }
  const last = texts.at(-1);
  if (last === undefined) {
    const text = media.length > mediaBefore ? MOVED_RESULT_TEXT : '';
    texts.push({ type: 'text', text, cacheControl: result.cacheControl });
  } else if (last.cacheControl === undefined && result.cacheControl !== undefined) {
    texts[texts.length - 1] = { ...last, cacheControl: result.cacheControl };
  }
  const [first] = texts;
  if (result.isError && first !== undefined) texts[0] = { ...first, text: asFailed(first.text) };
  return { role: 'tool', tool_call_id: result.callId, content: encodeTexts(texts, TEXT_SEPARATOR, traits) };
}

function encodeContent(parts: readonly ContentPart[], traits: FamilyTraits): unknown {
  const plain = parts.map(withTextFilesRead);
  return plain.every(isText)
    ? encodeTexts(plain, TEXT_SEPARATOR, traits)
    : plain.map((part) => encodePart(part, traits));
}

/** OpenAI's own models take lists; for others the texts become one string unless a marker forbids it. */
function encodeTexts(texts: readonly TextPart[], separator: string, traits: FamilyTraits): unknown {
  const isMarked = texts.some((text) => markerOf(text, traits).cache_control !== undefined);
  const takesList = isMarked || (traits.keepsOpenAiOnlyFields && texts.length > 1);
  return takesList ? texts.map((text) => encodePart(text, traits)) : texts.map(({ text }) => text).join(separator);
}

function encodePart(part: ContentPart, traits: FamilyTraits): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...markerOf(part, traits) };
    case 'image':
      return {
        type: 'image_url',
        image_url: { url: encodeSource(part.source), detail: part.detail },
        ...markerOf(part, traits),
      };
    case 'file':
      return {
        type: 'file',
        file: { filename: part.filename ?? UNNAMED_FILE, file_data: encodeSource(part.source) },
        ...markerOf(part, traits),
      };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    default:
      return { type: 'video_url', video_url: { url: encodeSource(part.source) } };
  }
}

/** Files are PDFs in this protocol; the content of a text file becomes text. */
function withTextFilesRead(part: ContentPart): ContentPart {
  if (part.type !== 'file' || part.source.kind === 'url' || !part.source.mediaType.startsWith('text/')) return part;
  const text = Buffer.from(part.source.data, 'base64').toString('utf8');
  return { type: 'text', text, cacheControl: part.cacheControl };
}

/** The address itself, or the data as an address. */
export function encodeSource(source: MediaSource): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

function isText(part: ContentPart): part is TextPart {
  return part.type === 'text';
}
