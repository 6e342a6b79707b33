// Turns what a client sent, form or JSON, into a transcription request. In a form every value is text, so only there
// are numbers and switches read from text.

import { isSet, type JsonObject } from '../../canonical/json.ts';
import type { TranscriptionRequest } from '../../canonical/operation.ts';
import { userPassage, visitPassage } from '../../canonical/passage.ts';
import { NO_NEEDS } from '../../canonical/request.ts';
import type { Submission } from '../../canonical/submission.ts';
import { ApiError } from '../../errors/api-error.ts';
import { textTokens } from '../estimate-prompt.ts';
import { parseModelNames } from '../parse-model-names.ts';
import { parseProviderPreferences } from '../parse-provider-preferences.ts';
import { readJsonField } from '../read-json-field.ts';
import { refuseField } from '../refuse.ts';
import { audioMsBelieved, audioMsMax } from './audio-length.ts';
import { readAudio } from './read-audio.ts';

const FORMATS: ReadonlySet<unknown> = new Set(['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json']);
const SUBTITLES: ReadonlySet<unknown> = new Set(['srt', 'vtt']);
const LANGUAGE = /^[A-Za-z]{2,16}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/;
const NUMBER = /^-?\d{1,9}(?:\.\d{1,18})?$/;
const PROMPT_LENGTH_MAX = 32_768;

/** More than any model hears, or writes, in a second. */
const TOKENS_HEARD_PER_SECOND = 25;
const TOKENS_SAID_PER_SECOND = 10;
const TOKENS_SLACK = 100;

export function parseTranscriptionRequest(submission: Submission): TranscriptionRequest {
  const { isForm } = submission;
  const body = isForm ? withNumbers(submission.body) : submission.body;
  const [modelName] = parseModelNames(body.model, undefined);
  const file = readAudio(submission);
  const responseFormat = readFormat(body.response_format);
  checkOptions(body);
  const { prompt } = body;
  const audioMs = audioMsMax(file.byteLength, file.head);
  const seconds = audioMs / 1_000;
  const promptTokens = typeof prompt === 'string' ? textTokens(prompt) : 0;
  return {
    operation: 'transcription',
    format: 'transcription',
    modelName,
    fallbackModelNames: [],
    isStream: false,
    promptTokensEstimate: Math.ceil(seconds * TOKENS_HEARD_PER_SECOND + promptTokens),
    outputTokensMax: Math.ceil(seconds * TOKENS_SAID_PER_SECOND) + TOKENS_SLACK,
    choiceCount: 1,
    unitsMax: { audioMs },
    needs: { ...NO_NEEDS, audioInput: true },
    preferences: parseProviderPreferences(isForm ? { provider: readJsonField(body.provider) } : body),
    file,
    audioMsBelieved: audioMsBelieved(file.byteLength, file.head),
    responseFormat,
    body,
    visitTexts: (visitor) => visitPassage(visitor, userPassage(...(typeof prompt === 'string' ? [prompt] : []))),
    withTexts: (replace) =>
      typeof prompt === 'string'
        ? parseTranscriptionRequest({ ...submission, body: { ...submission.body, prompt: replace(prompt) } })
        : parseTranscriptionRequest(submission),
  };
}

function readFormat(format: unknown): string {
  if (format === undefined || format === null) return 'json';
  if (typeof format === 'string' && FORMATS.has(format)) return format;
  throw new ApiError('unsupported_response_format', `response_format must be one of ${[...FORMATS].join(', ')}.`);
}

function checkOptions({ language, prompt, temperature, stream, response_format }: JsonObject): void {
  if (isSet(language) && (typeof language !== 'string' || !LANGUAGE.test(language))) {
    throw refuseField('language', 'must be a language code, such as en');
  }
  if (isSet(prompt) && (typeof prompt !== 'string' || prompt.length > PROMPT_LENGTH_MAX)) {
    throw refuseField('prompt', `must be a string of at most ${PROMPT_LENGTH_MAX} characters`);
  }
  if (isSet(temperature) && !(typeof temperature === 'number' && temperature >= 0 && temperature <= 2)) {
    throw refuseField('temperature', 'must be a number from 0 to 2');
  }
  if (isStreamed({ stream }) && SUBTITLES.has(response_format)) {
    throw new ApiError('unsupported_param', 'stream is not supported here: subtitles come as a whole.');
  }
}

/** Whether the client reads events. */
export const isStreamed = ({ stream }: JsonObject): boolean => stream === true || stream === 'true';

/** Text that is not a number stays text, and is refused. */
function withNumbers(body: JsonObject): JsonObject {
  const { temperature } = body;
  if (typeof temperature !== 'string' || !NUMBER.test(temperature)) return body;
  return { ...body, temperature: Number(temperature) };
}
