// A cheap estimate of a prompt's tokens, meant to be too high rather than too low: it only sizes the reservation, and
// the difference is released when the call settles. Counting exactly would need each family's tokenizer.

import { describeCustomTool } from '../canonical/custom-tools.ts';
import type { JsonObject } from '../canonical/json.ts';
import { mpegMsMax } from './mpeg-length.ts';
import { opusMsMax } from './opus-length.ts';
import { waveRate } from './wave-length.ts';

/**
 * Prose and code have about four ASCII characters for a token, dense JSON about two and a half. Only text that looks
 * random (base64, digests, columns of digits) has fewer than two and is estimated too low.
 */
const TOKENS_PER_UNIT = 0.4;
/** Each UTF-8 byte beyond one per UTF-16 unit. It puts a CJK character at 1.9 tokens and a Cyrillic one at 1.15. */
const TOKENS_PER_EXTRA_BYTE = 0.75;
/** Role markers and separators; tool results carry the most. */
export const MESSAGE_OVERHEAD_TOKENS = 8;
/** Some families add a hidden instruction of several hundred tokens when tools are given. */
export const TOOLS_OVERHEAD_TOKENS = 600;

/** The most that is held for a picture; `traits.pictureTokensMax` says what it may come to. */
export const IMAGE_TOKENS_MAX = 4_800;
const PDF_TOKENS_MAX = 300_000;
const VIDEO_TOKENS_MIN = 60_000;
/** A document that only the upstream will see: about forty pages. */
export const REMOTE_FILE_TOKENS = 60_000;
/** Quotes, colon and comma around a value in JSON. */
const PUNCTUATION_TOKENS = 1.6;
/** A number, boolean or null with its punctuation. */
const SCALAR_TOKENS = 4;
/** Bodies are at most 64 levels deep here; the bound only makes this function safe by itself. */
const DEPTH_MAX = 100;

export function textTokens(text: string): number {
  const extraBytes = Buffer.byteLength(text) - text.length;
  return text.length * TOKENS_PER_UNIT + extraBytes * TOKENS_PER_EXTRA_BYTE;
}

/** The tokens of a value that the upstream shows to the model as JSON, as it does with tools and schemas. */
export function jsonTokens(value: unknown, depth = 0): number {
  if (typeof value === 'string') return textTokens(value) + PUNCTUATION_TOKENS;
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return SCALAR_TOKENS;
  let tokens = PUNCTUATION_TOKENS;
  if (Array.isArray(value)) {
    for (const item of value) tokens += jsonTokens(item, depth + 1);
    return tokens;
  }
  const object = value as JsonObject;
  for (const key in object) tokens += key.length * TOKENS_PER_UNIT + jsonTokens(object[key], depth + 1);
  return tokens;
}

/** What a tool that takes plain text comes to in addition where it is described as a function. */
export const CUSTOM_TOOL_TOKENS = Math.ceil(
  jsonTokens(describeCustomTool({ grammar: { definition: '', syntax: 'regex' } })),
);

/**
 * What a prompt is taken for, and how much more it may come to: some parts only the upstream can measure. Hundreds of
 * empty pages, hours of silence or of a picture that stands still fit into a few bytes.
 */
export type PromptTokens = { tokens: number; tokensBeyond: number; pictures: number };

/** Of sound and of films. Whatever a model is sent, its context has no room for more. */
const MEDIA_TOKENS_MAX = 1_000_000;
/** How base64 begins that is no other format, whatever it is called; upstreams look at it too. */
const SAMPLES = /^(?!ZkxhQ|T2dnUw|UklGR)/;
const WAVE = /^UklGR/;
const WAVE_HEAD_LENGTH = 4_096;
const OGG = /^T2dnUw/;
const MP3 = /^(?:SUQz|\/[/+])/;
/** Of larger recordings the packets are not counted; they are longer than people speak in a conversation. */
const COUNTED_BYTES_MAX = 1_048_576;
/** Vendors count from 10 (OpenAI) to 32 (Google) tokens for a second of sound. */
const SOUND_TOKENS_PER_SECOND_MAX = 50;
const MEDIA_TYPE = /^(?:audio|video)\//i;

function addPart(prompt: PromptTokens, tokens: number, tokensMax: number): void {
  prompt.tokens += tokens;
  if (tokensMax > tokens) prompt.tokensBeyond += tokensMax - tokens;
}

export function addImage(prompt: PromptTokens, url: string): void {
  if (isDataUri(url)) addEmbeddedImage(prompt, url);
  else addPicture(prompt, IMAGE_TOKENS_MAX);
}

/** Its base64, with or without the head of a data URI. A large picture of one colour has few bytes. */
export function addEmbeddedImage(prompt: PromptTokens, base64: string): void {
  addPicture(prompt, embeddedImageTokens(base64));
}

function addPicture(prompt: PromptTokens, tokens: number): void {
  addPart(prompt, tokens, IMAGE_TOKENS_MAX);
  prompt.pictures += 1;
}

type FileType = Readonly<{ isPdf: boolean; mediaType: string }>;

/** Some upstreams take a film as a file. */
export function addFile(prompt: PromptTokens, base64: string, { isPdf, mediaType }: FileType): void {
  const tokens = fileTokens(base64, isPdf);
  if (MEDIA_TYPE.test(mediaType)) addPart(prompt, tokens, MEDIA_TOKENS_MAX);
  else addPart(prompt, tokens, isPdf ? PDF_TOKENS_MAX : tokens);
}

export function addRemoteFile(prompt: PromptTokens): void {
  addPart(prompt, REMOTE_FILE_TOKENS, PDF_TOKENS_MAX);
}

export function addAudio(prompt: PromptTokens, base64: string, format: string): void {
  const tokens = audioTokens(base64);
  addPart(prompt, tokens, format === 'pcm16' && SAMPLES.test(base64) ? tokens : soundTokensMax(base64));
}

/**
 * Sound that a caller compressed may be hours of silence in a few bytes, so that no rate bounds its length. Only the
 * head of a WAV with a coding of a fixed rate does, the frames of an MP3, and the packets of Opus in Ogg, which phones
 * and messengers record.
 */
function soundTokensMax(base64: string): number {
  const durationMs = durationMsMax(base64);
  if (durationMs === null) return MEDIA_TOKENS_MAX;
  return Math.min(MEDIA_TOKENS_MAX, 100 + (durationMs / 1_000) * SOUND_TOKENS_PER_SECOND_MAX);
}

/** Null where nothing is known. */
function durationMsMax(base64: string): number | null {
  const byteLength = base64Bytes(base64.length);
  const [isMp3, isWave] = [MP3.test(base64), WAVE.test(base64)];
  if (!isMp3 && !isWave && (!OGG.test(base64) || byteLength > COUNTED_BYTES_MAX)) return null;
  const looked = isWave ? base64.slice(0, WAVE_HEAD_LENGTH).replace(/\s/g, '') : base64.slice(0, 2 * COUNTED_BYTES_MAX);
  const file = Buffer.from(looked, 'base64');
  // What is no base64, such as padding in the middle, others read differently.
  if (file.length !== Buffer.byteLength(looked, 'base64')) return null;
  if (isWave) return waveMsMax(file, byteLength);
  return isMp3 ? mpegMsMax(file, byteLength) : opusMsMax(file);
}

function waveMsMax(head: Buffer, byteLength: number): number | null {
  const rate = waveRate(head, byteLength);
  return rate?.isSure === true ? (byteLength * 1_000) / rate.bytesPerSecond : null;
}

export function addVideo(prompt: PromptTokens, url: string): void {
  addPart(prompt, videoTokens(url), MEDIA_TOKENS_MAX);
}

/** A remote image counts as the largest size that a family accepts; an embedded one is bounded by its bytes. */
export function imageTokens(url: string): number {
  return isDataUri(url) ? embeddedImageTokens(url) : IMAGE_TOKENS_MAX;
}

/** For an image's base64, with or without the head of a data URI. */
export function embeddedImageTokens(base64: string): number {
  return fileImageTokens(base64Bytes(base64.length));
}

export function fileImageTokens(byteLength: number): number {
  return Math.min(IMAGE_TOKENS_MAX, 400 + byteLength / 16);
}

/** A PDF page counts as its text and as an image, in rarely less than 50 KB; any other file counts as text. */
export function fileTokens(base64: string, isPdf: boolean): number {
  const bytes = base64Bytes(base64.length);
  return isPdf ? Math.min(PDF_TOKENS_MAX, 1_500 + bytes / 20) : 1_000 + bytes * TOKENS_PER_UNIT;
}

/** Up to 32 tokens a second, in as little as 3 KB a second. */
function audioTokens(base64: string): number {
  return 100 + base64Bytes(base64.length) / 100;
}

/**
 * Up to 300 tokens a second, in as little as 30 KB a second; one that stands still has hours in a few bytes. So none is
 * taken at less than a remote one, which is a little over three minutes.
 */
function videoTokens(url: string): number {
  return isDataUri(url) ? Math.max(VIDEO_TOKENS_MIN, base64Bytes(url.length) / 100) : VIDEO_TOKENS_MIN;
}

function isDataUri(url: string): boolean {
  return url.startsWith('data:');
}

function base64Bytes(length: number): number {
  return length * 0.75;
}
