// Writes the messages of a conversation as turns of content blocks that alternate between user and assistant, with
// results first in the turn after their calls. Media are taken only as data; an address cannot be passed on.

import { createHash } from 'node:crypto';
import type {
  AssistantPart,
  CacheControl,
  ContentPart,
  MediaSource,
  Message,
  ReasoningPart,
  ToolResultPart,
} from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import { isSealedSignature } from '../../../canonical/sealed-signature.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { fitCallName } from '../../call-ids.ts';
import { isTextFile, pictureTypeOf } from '../../embedded-files.ts';
import { BEGINNING, CONTINUE } from '../../users-words.ts';
import { parseArguments } from '../anthropic/parse-arguments.ts';
import { distinctNames, documentName } from './document-names.ts';

type Turn = { readonly role: 'user' | 'assistant'; readonly results: JsonObject[]; readonly blocks: JsonObject[] };

type EncodedTurns = Readonly<{
  system: readonly JsonObject[];
  messages: readonly Readonly<{ role: string; content: readonly JsonObject[] }>[];
}>;

export const NAME_LENGTH_MAX = 64;
const ID_FORBIDDEN = /[^a-zA-Z0-9_.:-]/g;
/** Room for the number that tells an id from an earlier one is left of the 64 that are taken. */
const ID_LENGTH_MAX = 56;

/** `wantsLastWord`: an answer is not continued, so the user has the last word. */
export function encodeTurns(messages: readonly Message[], wantsLastWord: boolean): EncodedTurns {
  const later = messages.findIndex((message) => message.role !== 'system');
  const leading = later === -1 ? messages : messages.slice(0, later);
  const system = leading.flatMap((message) => (message.role === 'system' ? message.parts.flatMap(encodePart) : []));
  const turns: Turn[] = [];
  for (const message of messages.slice(leading.length)) addMessage(turns, message);
  // Other formats allow a prompt of instructions only; here the user must have said something.
  if (turns.length === 0 && system.length > 0) return { system: [], messages: [{ role: 'user', content: system }] };
  if (turns[0]?.role === 'assistant') turns.unshift({ role: 'user', results: [], blocks: [{ text: BEGINNING }] });
  if (wantsLastWord && turns.at(-1)?.role === 'assistant') {
    turns.push({ role: 'user', results: [], blocks: [{ text: CONTINUE }] });
  }
  for (const { blocks } of turns) addWords(blocks);
  const distinct = distinctNames();
  return {
    system,
    messages: turns.map(({ role, results, blocks }) => ({ role, content: [...results, ...blocks].map(distinct) })),
  };
}

/** A document is refused where nothing is said beside it. */
function addWords(blocks: JsonObject[]): void {
  const isBare =
    blocks.some(({ document }) => document !== undefined) && !blocks.some(({ text }) => text !== undefined);
  if (isBare) blocks.unshift({ text: 'Read this.' });
}

function addMessage(turns: Turn[], message: Message): void {
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const results = message.role === 'tool' ? message.parts.flatMap(encodeResult) : [];
  const blocks = blocksOf(message);
  if (results.length === 0 && blocks.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === role) {
    last.results.push(...results);
    last.blocks.push(...blocks);
  } else turns.push({ role, results, blocks });
}

function blocksOf(message: Message): JsonObject[] {
  switch (message.role) {
    case 'system':
      return message.parts.flatMap((part) =>
        part.text.trim() === '' ? [] : withPoint({ text: `<system>\n${part.text}\n</system>` }, part.cacheControl),
      );
    case 'user':
      return message.parts.flatMap(encodePart);
    case 'assistant':
      return message.parts.flatMap(encodeAssistantPart);
    case 'tool':
      return [];
  }
}

/**
 * A cache marker is a block of its own here, after what it marks. Its time must not be lost: a longer one that follows
 * a shorter one is refused.
 */
export function withPoint(block: JsonObject, marker: CacheControl | undefined): JsonObject[] {
  if (marker === undefined) return [block];
  const ttl = marker.ttl === '1h' ? { ttl: '1h' } : {};
  return [block, { cachePoint: { type: 'default', ...ttl } }];
}

function encodeAssistantPart(part: AssistantPart): JsonObject[] {
  switch (part.type) {
    case 'text':
      return encodePart(part);
    case 'reasoning':
      return encodeReasoning(part);
    case 'tool-call': {
      const toolUse = {
        toolUseId: part.id,
        name: fitCallName(part.name, NAME_LENGTH_MAX),
        input: parseArguments(part.argumentsText),
      };
      return withPoint({ toolUse }, part.cacheControl);
    }
  }
}

/** Thinking is sent back with its signature or not at all: it is checked, and other vendors' thinking has none. */
function encodeReasoning({ text, signature, redactedData }: ReasoningPart): JsonObject[] {
  if (redactedData !== undefined) {
    return [{ reasoningContent: { redactedContent: Buffer.from(redactedData, 'utf8').toString('base64') } }];
  }
  if (signature === undefined || signature === '' || isSealedSignature(signature)) return [];
  return [{ reasoningContent: { reasoningText: { text, signature } } }];
}

/** A cache point has no place inside a result, so one that marks a part of it follows the whole. */
function encodeResult({ callId, content, isError, cacheControl }: ToolResultPart): JsonObject[] {
  const blocks = content.flatMap((part) => encodePart({ ...part, cacheControl: undefined }));
  const marker = cacheControl ?? content.findLast((part) => part.cacheControl !== undefined)?.cacheControl;
  const toolResult = {
    toolUseId: callId,
    content: blocks.length === 0 ? [{ text: '(no output)' }] : blocks,
    ...(isError ? { status: 'error' } : {}),
  };
  return withPoint({ toolResult }, marker);
}

/** Other vendors' ids may contain characters that are refused here, or be too long. */
export function encodeId(id: string): string {
  return shortId(id.replace(ID_FORBIDDEN, (sign) => `_${sign.charCodeAt(0).toString(16)}`));
}

/** The same for the same id. */
export const shortId = (id: string): string =>
  id.length <= ID_LENGTH_MAX ? id : createHash('sha256').update(id).digest('hex').slice(0, ID_LENGTH_MAX);

function encodePart(part: ContentPart): JsonObject[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : withPoint({ text: part.text }, part.cacheControl);
    case 'image':
      return withPoint({ image: encodeMedia(part.source, 'images') }, part.cacheControl);
    case 'file': {
      if (part.source.kind === 'base64' && part.source.mediaType.startsWith('image/')) {
        return withPoint({ image: encodeMedia(part.source, 'images') }, part.cacheControl);
      }
      const document = { ...encodeMedia(part.source, 'files'), name: documentName(part.filename) };
      return withPoint({ document }, part.cacheControl);
    }
    case 'video':
      return [{ video: encodeMedia(part.source, 'videos') }];
    case 'audio':
      throw new ApiError('invalid_modality_for_model', 'The provider of this model does not take audio.');
  }
}

/** By media type, where the format's name is not the last part of the type. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['video/quicktime', 'mov'],
  ['video/x-matroska', 'mkv'],
]);

const DOCUMENT_FORMATS: ReadonlySet<string> = new Set([
  'pdf',
  'csv',
  'doc',
  'docx',
  'xls',
  'xlsx',
  'html',
  'txt',
  'md',
]);

function encodeMedia(source: MediaSource, kind: string): JsonObject {
  if (source.kind === 'url') {
    const message = `The provider of this model takes ${kind} as data alone, not by their address.`;
    throw new ApiError('invalid_modality_for_model', message);
  }
  const mediaType = pictureTypeOf(source);
  const format = FORMATS.get(mediaType) ?? mediaType.split('/')[1] ?? '';
  const isOther = kind === 'files' && !DOCUMENT_FORMATS.has(format) && isTextFile(source);
  return { format: isOther ? 'txt' : format, source: { bytes: source.data } };
}
