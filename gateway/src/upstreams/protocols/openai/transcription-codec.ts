// POST /audio/transcriptions, always as a form and always answered in JSON: plain text or subtitles would come without
// usage, and so without a price. The dialect makes them from the JSON. Some, such as most who serve Whisper, state the
// length of the recording only in the long form: once that shows, they are asked for it, whatever the client wants.

import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, isSet, type JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { TranscriptionAnswer, TranscriptionRequest } from '../../../canonical/operation.ts';
import { RecentMap } from '../../../platform/recent-map.ts';
import { encodeForm, type FormField, formFields } from '../../encode-form.ts';
import type { Codec, CodecRoute, Decoded, UpstreamCall, UpstreamFailure, UpstreamReply } from '../../protocol.ts';
import { malformedAnswer, readAnswer } from '../../read-answer.ts';
import { readStatedUsage } from '../../read-stated-usage.ts';
import { ERROR_BYTES_MAX } from '../../refusals.ts';
import { decodeError } from './decode-error.ts';

/** Fields for the gateway, and fields with another place in the form. */
const UNSENT_FIELDS = new Set([
  'model',
  'models',
  'provider',
  'usage',
  'session_id',
  'stream',
  'file',
  'input_audio',
  'response_format',
]);

/** Subtitles need the times of the segments. */
const askedFormats: Readonly<Record<string, string>> = { text: 'json', srt: 'verbose_json', vtt: 'verbose_json' };

/** What the client's form has no place for. */
const LONG_MEMBERS = ['task', 'language', 'duration', 'segments', 'words'];

/**
 * The models whose last short answer stated no length, by their place: a provider has other objects for each of its
 * keys, and new ones after every change of the catalog.
 */
const terseModels = new RecentMap<true>({ sizeMax: 4_096 });

const placeOf = ({ provider, upstreamModel }: CodecRoute): string => `${provider.baseUrl} ${upstreamModel}`;

const isShort = ({ responseFormat }: TranscriptionRequest): boolean =>
  responseFormat === 'json' || responseFormat === 'text';

/** Whether `longTranscriptionCodec` is asked first. */
export const isLongFormFirst = (route: CodecRoute, request: TranscriptionRequest): boolean =>
  isShort(request) && terseModels.get(placeOf(route)) === true;

export const transcriptionCodec: Codec<'transcription'> = {
  format: 'transcription',
  encode: (request, candidate) =>
    encodeTranscription(request, candidate, askedFormats[request.responseFormat] ?? request.responseFormat),
  decode(reply, request, route) {
    const decoded = decodeTranscription(reply);
    if (isShort(request)) noteTerseness(route, decoded);
    return decoded;
  },
  decodeError,
};

function noteTerseness(route: CodecRoute, decoded: Decoded<TranscriptionAnswer>): void {
  if (decoded.kind === 'failure') return;
  const isTerse = decoded.usage === null && !isSet(decoded.answer.json.usage);
  if (isTerse) terseModels.set(placeOf(route), true);
  else terseModels.delete(placeOf(route));
}

/** Some servers have no long form; they are then asked for the short one. */
export const longTranscriptionCodec: Codec<'transcription'> = {
  format: 'transcription',
  encode: (request, candidate) => encodeTranscription(request, candidate, 'verbose_json'),
  decode: (reply) => shortened(decodeTranscription(reply)),
  decodeError: decodeFormatError,
};

function encodeTranscription(request: TranscriptionRequest, candidate: Candidate, format: string): UpstreamCall {
  const { file, body } = request;
  const fields: FormField[] = [['model', candidate.upstreamModel], ...formFields(body, UNSENT_FIELDS)];
  if (body.response_format !== undefined || format !== request.responseFormat) fields.push(['response_format', format]);
  const named = { ...file, fileName: file.fileName === '' ? 'audio' : file.fileName };
  return { path: '/audio/transcriptions', ...encodeForm(fields, [{ name: 'file', file: named }]) };
}

function decodeTranscription({ body }: UpstreamReply): Decoded<TranscriptionAnswer> {
  const read = readAnswer(body, ({ text }) => typeof text === 'string' && text !== '');
  if (read.kind === 'failure') return read;
  // What is said of an error beside the text is not for the caller.
  const { error: _error, ...json } = read.json;
  if (typeof json.text !== 'string') return malformedAnswer('no text');
  return { kind: 'answer', answer: { json }, usage: readStatedUsage(usageOf(json)), finishReason: null };
}

function shortened(decoded: Decoded<TranscriptionAnswer>): Decoded<TranscriptionAnswer> {
  if (decoded.kind === 'failure') return decoded;
  const { text, ...members } = decoded.answer.json;
  const kept = Object.entries(members).filter(([name]) => !LONG_MEMBERS.includes(name));
  const json = { text: typeof text === 'string' ? text.trim() : text, ...Object.fromEntries(kept) };
  return { ...decoded, answer: { json } };
}

const FORMAT_WORDS = /response_format|verbose_json/i;

function decodeFormatError(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure {
  const failure = decodeError(status, headers, body);
  const isRefused = failure.kind === 'rejected' || status === 501;
  if (!isRefused || !FORMAT_WORDS.test(body.toString('utf8', 0, ERROR_BYTES_MAX))) return failure;
  const publicMessage = 'The provider of this model does not state how long recordings are.';
  return { kind: 'unsupported', code: 'upstream_unavailable', publicMessage, detail: failure.detail };
}

/** Some state the length of the recording beside the text and have no usage record, or only when each segment ends. */
function usageOf({ usage, duration, segments, words }: JsonObject): JsonObject | null {
  if (isJsonObject(usage)) return usage;
  if (isSet(usage)) return null;
  if (!isSet(duration)) return endOf(segments) ?? endOf(words);
  return { seconds: typeof duration === 'string' ? Number(duration) : duration };
}

/** When the last one ends; null where none says so. */
function endOf(pieces: unknown): JsonObject | null {
  if (!Array.isArray(pieces)) return null;
  let seconds = 0;
  for (const piece of pieces) {
    const end: unknown = isJsonObject(piece) ? piece.end : undefined;
    if (typeof end === 'number' && end > seconds) seconds = end;
  }
  return seconds === 0 ? null : { seconds };
}
