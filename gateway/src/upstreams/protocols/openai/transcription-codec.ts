// POST /audio/transcriptions, always as a form and always answered in JSON: plain text or subtitles would come without
// usage, and so without a price. The dialect makes them from the JSON.

import { isJsonObject, isSet, type JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { TranscriptionAnswer, TranscriptionRequest } from '../../../canonical/operation.ts';
import { encodeForm, type FormField, formFields } from '../../encode-form.ts';
import type { Codec, Decoded, UpstreamCall, UpstreamReply } from '../../protocol.ts';
import { malformedAnswer, readAnswer } from '../../read-answer.ts';
import { readStatedUsage } from '../../read-stated-usage.ts';
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

export const transcriptionCodec: Codec<'transcription'> = {
  format: 'transcription',
  encode: encodeTranscription,
  decode: decodeTranscription,
  decodeError,
};

function encodeTranscription(request: TranscriptionRequest, { upstreamModel }: Candidate): UpstreamCall {
  const { file, responseFormat } = request;
  const fields: FormField[] = [['model', upstreamModel], ...formFields(request.body, UNSENT_FIELDS)];
  const format = askedFormats[responseFormat] ?? responseFormat;
  if (request.body.response_format !== undefined) fields.push(['response_format', format]);
  const named = { ...file, fileName: file.fileName === '' ? 'audio' : file.fileName };
  return { path: '/audio/transcriptions', ...encodeForm(fields, [{ name: 'file', file: named }]) };
}

function decodeTranscription({ body }: UpstreamReply): Decoded<TranscriptionAnswer> {
  const read = readAnswer(body);
  if (read.kind === 'failure') return read;
  const { json } = read;
  if (typeof json.text !== 'string') return malformedAnswer('no text');
  return { kind: 'answer', answer: { json }, usage: readStatedUsage(usageOf(json)), finishReason: null };
}

/** Some state the length of the recording beside the text and have no usage record. */
function usageOf({ usage, duration }: JsonObject): JsonObject | null {
  if (isJsonObject(usage)) return usage;
  if (isSet(usage) || !isSet(duration)) return null;
  return { seconds: typeof duration === 'string' ? Number(duration) : duration };
}
