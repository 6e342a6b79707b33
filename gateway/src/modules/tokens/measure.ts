// Measures a part of a prompt: the texts in it, an estimate of their tokens, and allowances for what is not text. It
// knows the content parts of all dialects by their `type`, so that a picture is never counted as its base64.

import { setImmediate } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';
import { estimateTokens } from './estimate-tokens.ts';

export type Measure = Readonly<{
  texts: readonly string[];
  textLength: number;
  /** An estimate; the texts can be counted exactly. */
  textTokens: number;
  /** Rough, because every family counts pictures and sounds in its own way. */
  mediaTokens: number;
  overheadTokens: number;
}>;

type MediaKind = 'image' | 'audio' | 'video' | 'file';

const mediaKinds: ReadonlyMap<unknown, MediaKind> = new Map([
  ['image', 'image'],
  ['image_url', 'image'],
  ['input_image', 'image'],
  ['input_audio', 'audio'],
  ['video_url', 'video'],
  ['file', 'file'],
  ['input_file', 'file'],
  ['document', 'file'],
]);

/** Structure and signatures, which the model is not shown. */
const UNSEEN_MEMBERS = new Set([
  'role',
  'type',
  'id',
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'status',
  'cache_control',
  'signature',
  'encrypted_content',
]);

/** Role markers and separators around a message. */
const MESSAGE_TOKENS = 4;
const DEPTH_MAX = 100;

/** Typical figures: what a picture of ordinary size costs, and how many bytes of a medium go into a token. */
const IMAGE_TOKENS_MIN = 85;
const IMAGE_TOKENS_MAX = 1_600;
const IMAGE_BYTES_PER_TOKEN = 200;
const REMOTE_IMAGE_TOKENS = 1_000;
const SOUND_BYTES_PER_TOKEN = 1_000;
const VIDEO_BYTES_PER_TOKEN = 800;
const FILE_BYTES_PER_TOKEN = 50;
const REMOTE_MEDIUM_TOKENS = 10_000;
const BASE64_BYTES_PER_CHARACTER = 0.75;

type Tally = { texts: string[]; textLength: number; textTokens: number; mediaTokens: number };

/** Takes some milliseconds; then other calls have their turn. */
const LENGTH_AT_A_TIME = 262_144;

/** The entries of a conversation, of which there may be megabytes. */
export async function measureEach(contents: Iterable<unknown>): Promise<readonly Measure[]> {
  const measures: Measure[] = [];
  let length = 0;
  for (const content of contents) {
    const measure = measureContent(content);
    measures.push(measure);
    length += measure.textLength;
    if (length < LENGTH_AT_A_TIME) continue;
    length = 0;
    await setImmediate();
  }
  return measures;
}

/** A message or an item of the conversation. */
export function measureContent(content: unknown): Measure {
  const tally = createTally();
  walk(content, tally, 0);
  return { ...tally, overheadTokens: MESSAGE_TOKENS };
}

/** What the model is shown as JSON or plain text: tools, schemas, instructions. */
export function measureFrame(frame: readonly unknown[]): Measure {
  const tally = createTally();
  for (const value of frame) {
    if (typeof value === 'string') addText(value, tally);
    else if (value !== undefined && value !== null) addText(stringifyExactJson(value), tally);
  }
  return { ...tally, overheadTokens: MESSAGE_TOKENS };
}

function createTally(): Tally {
  return { texts: [], textLength: 0, textTokens: 0, mediaTokens: 0 };
}

function addText(text: string, tally: Tally): void {
  if (text === '') return;
  tally.texts.push(text);
  tally.textLength += text.length;
  tally.textTokens += estimateTokens(text);
}

function walk(value: unknown, tally: Tally, depth: number): void {
  if (depth > DEPTH_MAX) return;
  if (typeof value === 'string') addText(value, tally);
  else if (Array.isArray(value)) for (const item of value) walk(item, tally, depth + 1);
  else if (isJsonObject(value)) walkObject(value, tally, depth);
  else if (value !== null && value !== undefined) addText(String(value), tally);
}

function walkObject(object: JsonObject, tally: Tally, depth: number): void {
  const kind = mediaKinds.get(object.type);
  if (kind !== undefined && !isPlainText(object.source)) {
    tally.mediaTokens += mediaTokens(kind, longestString(object, 0));
    return;
  }
  for (const key in object) {
    if (UNSEEN_MEMBERS.has(key)) continue;
    const value = object[key];
    // A call's arguments reach the model with the names in them.
    if (key === 'input' && isJsonObject(value)) addText(stringifyExactJson(value), tally);
    else walk(value, tally, depth + 1);
  }
}

/** A document whose text is in the request. */
function isPlainText(source: unknown): boolean {
  return isJsonObject(source) && (source.type === 'text' || source.type === 'content');
}

/** Dialects keep the data or address of a part in different members; it is always the longest text in the part. */
function longestString(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return '';
  let longest = '';
  for (const item of Object.values(value)) {
    const candidate = longestString(item, depth + 1);
    if (candidate.length > longest.length) longest = candidate;
  }
  return longest;
}

function mediaTokens(kind: MediaKind, payload: string): number {
  const isRemote = /^https?:/i.test(payload);
  const bytes = payload.length * BASE64_BYTES_PER_CHARACTER;
  switch (kind) {
    case 'image':
      if (isRemote) return REMOTE_IMAGE_TOKENS;
      return Math.min(IMAGE_TOKENS_MAX, IMAGE_TOKENS_MIN + bytes / IMAGE_BYTES_PER_TOKEN);
    case 'audio':
      return bytes / SOUND_BYTES_PER_TOKEN;
    case 'video':
      return isRemote ? REMOTE_MEDIUM_TOKENS : bytes / VIDEO_BYTES_PER_TOKEN;
    case 'file':
      return isRemote ? REMOTE_MEDIUM_TOKENS : bytes / FILE_BYTES_PER_TOKEN;
  }
}
