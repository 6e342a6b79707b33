// Writes the messages of a conversation as contents that alternate between user and model. A signature of thinking is
// sent back with the part it came with: the picture, the call after it, or the text where there is no call.

import type {
  AssistantPart,
  ContentPart,
  ImagePart,
  MediaSource,
  Message,
  ToolCallPart,
  ToolResultPart,
} from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import { openSignature } from '../../../canonical/sealed-signature.ts';
import { fitCallIds } from '../../call-ids.ts';
import { isTextFile, pictureTypeOf } from '../../embedded-files.ts';
import { BEGINNING, CONTINUE } from '../../users-words.ts';
import { parseArguments } from '../anthropic/parse-arguments.ts';
import { PICTURE_VENDOR, VENDOR } from './candidate-reader.ts';

/** What differs between the servers of this API, and between its models. */
type ContentRules = Readonly<{
  /** Calls may have ids. */
  takesIds: boolean;
  /** A call without its signature is refused unless it is marked as another model's. */
  wantsSignatures: boolean;
  /** The same holds for a picture, and for the first part of an answer. */
  wantsPictureSignatures: boolean;
  /** An answer is not continued: the user has the last word. */
  wantsLastWord: boolean;
}>;

type Content = { readonly role: 'user' | 'model'; readonly parts: JsonObject[] };

/** The vendor's own mark for what another model has made. */
const FOREIGN = 'skip_thought_signature_validator';

type EncodedContents = Readonly<{ system: readonly JsonObject[]; contents: readonly Content[] }>;

export function encodeContents(said: readonly Message[], rules: ContentRules): EncodedContents {
  const messages = fitCallIds(said, (id) => id);
  const later = messages.findIndex((message) => message.role !== 'system');
  const leading = later === -1 ? messages : messages.slice(0, later);
  const system = leading.flatMap((message) => (message.role === 'system' ? message.parts.flatMap(encodePart) : []));
  const names = callNames(messages);
  const contents: Content[] = [];
  for (const message of messages.slice(leading.length)) {
    const role = message.role === 'assistant' ? 'model' : 'user';
    const parts = encodeMessage(message, rules, names);
    if (parts.length === 0) continue;
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts });
  }
  // Other formats allow a prompt of instructions only; here the user must have said something.
  if (contents.length === 0 && system.length > 0) return { system: [], contents: [{ role: 'user', parts: system }] };
  // A call of the model's is refused where the user has not said anything before.
  if (contents[0]?.role === 'model') contents.unshift({ role: 'user', parts: [{ text: BEGINNING }] });
  if (rules.wantsLastWord && contents.at(-1)?.role === 'model') {
    contents.push({ role: 'user', parts: [{ text: CONTINUE }] });
  }
  return { system, contents };
}

/** A result is named by its function, and only the call knows that name. */
function callNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.parts) if (part.type === 'tool-call') names.set(part.id, part.name);
  }
  return names;
}

function encodeMessage(message: Message, rules: ContentRules, names: ReadonlyMap<string, string>): JsonObject[] {
  switch (message.role) {
    case 'system':
      return message.parts.flatMap(({ text }) =>
        text.trim() === '' ? [] : [{ text: `<system>\n${text}\n</system>` }],
      );
    case 'user':
      return message.parts.flatMap(encodePart);
    case 'assistant':
      return encodeAnswer(message.parts, message.pictures ?? [], rules);
    case 'tool':
      return [
        ...message.parts.map((part) => encodeResult(part, rules, names)),
        ...message.parts.flatMap(({ content }) => content.filter(({ type }) => type !== 'text').flatMap(encodePart)),
      ];
  }
}

function encodeAnswer(
  parts: readonly AssistantPart[],
  pictures: readonly ImagePart[],
  rules: ContentRules,
): JsonObject[] {
  const words: JsonObject[] = [];
  const calls: JsonObject[] = [];
  const signatures = signaturesOf(parts);
  let isFirstCall = true;
  for (const part of parts) {
    if (part.type === 'reasoning') continue;
    const signature = signatures.get(part);
    const signed = signature === undefined ? {} : { thoughtSignature: signature };
    if (part.type === 'text') {
      // Line breaks that other models put before a call say nothing.
      if (part.text.trim() !== '' || (part.text !== '' && signature !== undefined))
        words.push({ text: part.text, ...signed });
      continue;
    }
    // Of several calls in a row only the first has a signature.
    const isUnsigned = isFirstCall && signature === undefined && rules.wantsSignatures;
    calls.push({ ...encodeCall(part, rules), ...(isUnsigned ? { thoughtSignature: FOREIGN } : signed) });
    isFirstCall = false;
  }
  return [...withPictures(words, encodePictures(parts, pictures, rules), rules), ...calls];
}

/** An answer begins with its signed part: where the text is not signed, the picture came before it. */
function withPictures(words: JsonObject[], pictures: JsonObject[], { wantsPictureSignatures }: ContentRules) {
  const isWordsFirst = words.some(({ thoughtSignature }) => thoughtSignature !== undefined);
  const [first, ...others] = isWordsFirst ? [...words, ...pictures] : [...pictures, ...words];
  if (first === undefined) return [];
  return [wantsPictureSignatures ? { thoughtSignature: FOREIGN, ...first } : first, ...others];
}

/** Dialects keep pictures apart from everything else, in order, which is also the order of their signatures. */
function encodePictures(
  parts: readonly AssistantPart[],
  pictures: readonly ImagePart[],
  { wantsPictureSignatures }: ContentRules,
): JsonObject[] {
  if (pictures.length === 0) return [];
  const signatures = parts.flatMap((part) => {
    const sealed = part.type === 'reasoning' ? part.signature : undefined;
    return sealed === undefined ? [] : (openSignature(PICTURE_VENDOR, sealed) ?? []);
  });
  return pictures.map(({ source }, index) => {
    const thoughtSignature = signatures[index] ?? (wantsPictureSignatures ? FOREIGN : undefined);
    return { ...encodeSource(source, 'image/png'), ...(thoughtSignature === undefined ? {} : { thoughtSignature }) };
  });
}

/**
 * Each signature goes to the part that follows it. Dialects that keep thinking, text and calls apart have put it before
 * the text in any case, so where there are calls, the signatures are theirs in order.
 */
function signaturesOf(parts: readonly AssistantPart[]): ReadonlyMap<AssistantPart, string> {
  const signed = new Map<AssistantPart, string>();
  const waiting: string[] = [];
  const calls = parts.filter((part) => part.type === 'tool-call');
  for (const part of parts) {
    if (part.type === 'reasoning') {
      const signature = part.signature === undefined ? null : openSignature(VENDOR, part.signature);
      if (signature !== null) waiting.push(signature);
    } else if (part.type === 'tool-call' || calls.length === 0) {
      const signature = waiting.shift();
      if (signature !== undefined) signed.set(part, signature);
    }
  }
  // A signature that came with the end of a text stands after it.
  const last = parts.findLast(({ type }) => type === 'text');
  const late = waiting.shift();
  if (late !== undefined && last !== undefined && calls.length === 0) signed.set(last, late);
  return signed;
}

function encodeCall({ id, name, argumentsText }: ToolCallPart, { takesIds }: ContentRules): JsonObject {
  return { functionCall: { ...(takesIds ? { id } : {}), name, args: parseArguments(argumentsText) } };
}

function encodeResult(
  { callId, content, isError }: ToolResultPart,
  { takesIds }: ContentRules,
  names: ReadonlyMap<string, string>,
): JsonObject {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const response = { [isError ? 'error' : 'output']: text };
  const name = names.get(callId) ?? callId;
  return { functionResponse: { ...(takesIds ? { id: callId } : {}), name, response } };
}

function encodePart(part: ContentPart): JsonObject[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ text: part.text }];
    case 'image':
      return [encodeSource(part.source, 'image/jpeg')];
    case 'file':
      return [encodeSource(part.source, 'application/pdf')];
    case 'video':
      return [encodeSource(part.source, 'video/mp4')];
    case 'audio':
      return [{ inlineData: { mimeType: AUDIO_TYPES.get(part.format) ?? `audio/${part.format}`, data: part.data } }];
  }
}

const AUDIO_TYPES: ReadonlyMap<string, string> = new Map([
  ['mp3', 'audio/mp3'],
  ['pcm16', 'audio/pcm'],
  ['m4a', 'audio/mp4'],
]);

/** By the ending of the address; the API does not look at what it fetches. */
const EXTENSION_TYPES: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['heic', 'image/heic'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['mp4', 'video/mp4'],
  ['mov', 'video/mov'],
  ['webm', 'video/webm'],
]);
const EXTENSION = /\.([a-z0-9]{2,5})(?:[?#]|$)/i;

function encodeSource(source: MediaSource, mimeType: string): JsonObject {
  if (source.kind === 'base64') {
    return { inlineData: { mimeType: isTextFile(source) ? 'text/plain' : pictureTypeOf(source), data: source.data } };
  }
  const extension = EXTENSION.exec(source.url)?.[1]?.toLowerCase() ?? '';
  return { fileData: { mimeType: EXTENSION_TYPES.get(extension) ?? mimeType, fileUri: source.url } };
}
