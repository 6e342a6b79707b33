// Turns what a client sent into a request for pictures. Models know sizes and qualities; checked here are the number of
// pictures, which is paid for, and what no model can do, such as pictures inside JSON answers.

import type { ImagesRequest } from '../../canonical/images.ts';
import { isSet, type JsonObject } from '../../canonical/json.ts';
import { userPassage, visitPassage } from '../../canonical/passage.ts';
import { NO_NEEDS } from '../../canonical/request.ts';
import type { Submission, UploadedFile } from '../../canonical/submission.ts';
import { ApiError } from '../../errors/api-error.ts';
import { fileImageTokens, textTokens } from '../estimate-prompt.ts';
import { mapStrayFields } from '../map-strays.ts';
import { parseModelNames } from '../parse-model-names.ts';
import { parseProviderPreferences } from '../parse-provider-preferences.ts';
import { readJsonField } from '../read-json-field.ts';
import { refuseField } from '../refuse.ts';

const COUNT_MAX = 10;
const PROMPT_LENGTH_MAX = 32_768;
const SIZE = /^[A-Za-z0-9][A-Za-z0-9_:/*.×-]{0,31}$/;
const DIGITS = /^\d{1,4}$/;
/** More than any model counts for a picture of ordinary size; larger ones count by their pixels. */
const TOKENS_PER_IMAGE = 8_192;

/** What differs between the endpoints. */
export type ImagesRules = Readonly<{
  /** Throws what is wrong with them. */
  readSources(submission: Submission): readonly UploadedFile[];
  /** The model where none is named; null where one must be. */
  defaultModel(): string | null;
  /** Whether pictures may be part of the answer; then they are, unless addresses are asked for. */
  answersBytes: boolean;
}>;

export function parseImagesRequest(submission: Submission, rules: ImagesRules): ImagesRequest {
  const body = submission.isForm ? withValues(submission.body) : submission.body;
  const [modelName, ...fallbackModelNames] = parseModelNames(
    body.model ?? rules.defaultModel() ?? undefined,
    body.models,
  );
  const prompt = readPrompt(body.prompt);
  const count = readCount(body.n);
  const answerAs = readAnswerForm(body, rules);
  const sources = rules.readSources(submission);
  const sourceTokens = sources.reduce((sum, { byteLength }) => sum + fileImageTokens(byteLength), 0);
  return {
    operation: 'images',
    format: 'images',
    modelName,
    fallbackModelNames,
    isStream: false,
    isShownAsStream: answerAs === 'events',
    promptTokensEstimate: Math.ceil(textTokens(prompt) + sourceTokens),
    outputTokensMax: TOKENS_PER_IMAGE,
    choiceCount: count,
    unitsMax: { images: count },
    needs: { ...NO_NEEDS, imageInput: sources.length > 0, imageOutput: true },
    preferences: parseProviderPreferences(body),
    count,
    size: readSize(body),
    sources,
    answerAs,
    body,
    visitTexts(visitor) {
      visitPassage(visitor, userPassage(prompt));
      mapStrayFields(body, isKnownField, visitor);
    },
    withTexts(replace) {
      const reviewed = { ...submission.body, prompt: replace(prompt) };
      const visitor = { begin: () => undefined, replace };
      return parseImagesRequest({ ...submission, body: mapStrayFields(reviewed, isKnownField, visitor) }, rules);
    },
  };
}

/** The prompt has been read by then. Every other field is sent on, such as a vendor's second prompt. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...['prompt', 'n', 'stream', 'size', 'aspect_ratio', 'quality', 'style', 'background', 'moderation', 'output_format'],
  ...['output_compression', 'response_format', 'input_fidelity', 'image', 'mask', 'input_references', 'session_id'],
]);
const isKnownField = (name: string): boolean => KNOWN_FIELDS.has(name);

/** In a form every value is text. A value that cannot be converted stays text, and is refused. */
function withValues(body: JsonObject): JsonObject {
  const { n, stream, provider } = body;
  return {
    ...body,
    ...(typeof n === 'string' && DIGITS.test(n) ? { n: Number(n) } : {}),
    ...(stream === 'true' || stream === 'false' ? { stream: stream === 'true' } : {}),
    ...(provider === undefined ? {} : { provider: readJsonField(provider) }),
  };
}

function readPrompt(prompt: unknown): string {
  if (prompt === undefined || prompt === null || prompt === '') {
    throw new ApiError('missing_prompt', 'prompt is required: it says what the picture is to show.');
  }
  if (typeof prompt !== 'string' || prompt.length > PROMPT_LENGTH_MAX) {
    throw refuseField('prompt', `must be a string of at most ${PROMPT_LENGTH_MAX} characters`);
  }
  return prompt;
}

function readCount(count: unknown): number {
  if (count === undefined || count === null) return 1;
  const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= COUNT_MAX;
  if (!isCount) throw new ApiError('invalid_n', `n must be a whole number from 1 to ${COUNT_MAX}.`);
  return count;
}

function readAnswerForm(
  { stream, response_format: format }: JsonObject,
  rules: ImagesRules,
): ImagesRequest['answerAs'] {
  if (isSet(stream) && typeof stream !== 'boolean') throw refuseField('stream', 'must be true or false');
  const isBytes = format === 'b64_json' || format === undefined || format === null;
  if (!isBytes && format !== 'url') {
    throw new ApiError('unsupported_response_format', 'response_format must be url.');
  }
  if (format === 'b64_json' && !rules.answersBytes) {
    const message = 'response_format b64_json is not supported here: images are answered as URLs.';
    throw new ApiError('unsupported_response_format', message);
  }
  if (stream === true) return 'events';
  return isBytes && rules.answersBytes ? 'bytes' : 'urls';
}

/** A ratio counts as a size, for models that have several. */
function readSize({ size, aspect_ratio: ratio }: JsonObject): string | null {
  return readSizeField('size', size) ?? readSizeField('aspect_ratio', ratio);
}

function readSizeField(name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || !SIZE.test(value)) {
    throw refuseField(name, 'must be a size such as 1024x1024, a ratio such as 16:9, or auto');
  }
  return value;
}
