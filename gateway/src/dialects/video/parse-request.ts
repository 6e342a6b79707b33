// Turns what a client sent, form or JSON, into a video request: the specification's fields, and those that SDKs send
// for the same under other names. The model's limits are not known here.

import type { JsonObject } from '../../canonical/json.ts';
import { userPassage, visitPassage } from '../../canonical/passage.ts';
import { NO_NEEDS } from '../../canonical/request.ts';
import type { Submission } from '../../canonical/submission.ts';
import { NO_UNITS } from '../../canonical/usage.ts';
import type { VideoRequest } from '../../canonical/video.ts';
import { parseModelNames } from '../parse-model-names.ts';
import { parseProviderPreferences } from '../parse-provider-preferences.ts';
import { refuseField, refuseMissing } from '../refuse.ts';
import { jsonOfForm } from './form-values.ts';
import { parseMedia } from './parse-media.ts';

const PROMPT_LENGTH_MAX = 32_768;
const SECONDS_MAX = 86_400;
const CALLBACK_LENGTH_MAX = 2_048;
const SECONDS_TEXT = /^[1-9]\d{0,4}$/;
const SIZE = /^[1-9]\d{1,4}x[1-9]\d{1,4}$/;
const RESOLUTION = /^[0-9]{1,5}[a-z]{1,4}$/i;
const ASPECT_RATIO = /^[1-9]\d{0,3}:[1-9]\d{0,3}$/;

export function parseVideoRequest(submission: Submission): VideoRequest {
  const body = submission.isForm ? jsonOfForm(submission.body) : submission.body;
  const [modelName] = parseModelNames(body.model, undefined);
  const prompt = readPrompt(body.prompt);
  const media = parseMedia(body, submission);
  return {
    operation: 'video',
    format: 'video',
    modelName,
    fallbackModelNames: [],
    isStream: false,
    promptTokensEstimate: 0,
    outputTokensMax: 0,
    choiceCount: 1,
    unitsMax: NO_UNITS,
    needs: {
      ...NO_NEEDS,
      imageInput: media.firstFrame !== null || media.references.length > 0,
      videoInput: media.inputVideoUrl !== null,
    },
    preferences: parseProviderPreferences(body),
    body,
    ...media,
    prompt,
    task: null,
    seconds: readSeconds(body),
    ...readPicture(body),
    hasAudio: readSwitch(body.generate_audio, 'generate_audio'),
    hasWatermark: readSwitch(body.watermark, 'watermark'),
    seed: readSeed(body.seed),
    callbackUrl: readCallback(body.callback_url),
    visitTexts: (visitor) => visitPassage(visitor, userPassage(prompt)),
    withTexts: (replace) => parseVideoRequest({ ...submission, body: { ...submission.body, prompt: replace(prompt) } }),
  };
}

function readPrompt(prompt: unknown): string {
  if (prompt === undefined || prompt === null || prompt === '') throw refuseMissing('prompt');
  if (typeof prompt !== 'string' || prompt.trim() === '' || prompt.length > PROMPT_LENGTH_MAX) {
    throw refuseField('prompt', `must be a text of at most ${PROMPT_LENGTH_MAX} characters`);
  }
  return prompt;
}

/** SDKs call it `seconds`, and send it as text. */
function readSeconds({ duration, seconds }: JsonObject): number | null {
  const isText = typeof seconds === 'string' && SECONDS_TEXT.test(seconds);
  const given = [readDuration(duration, 'duration'), readDuration(isText ? Number(seconds) : seconds, 'seconds')];
  const [first = null, second = first] = given.filter((value) => value !== null);
  if (first !== second) throw refuseField('duration', 'must be the same as seconds, or be left out');
  return first;
}

function readDuration(value: unknown, path: string): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1 || value > SECONDS_MAX) {
    throw refuseField(path, 'must be a whole number of seconds');
  }
  return value;
}

/** `size` may be in pixels or name a resolution. Pixels imply a resolution, so the two cannot contradict each other. */
function readPicture(body: JsonObject): Pick<VideoRequest, 'resolution' | 'aspectRatio' | 'size'> {
  const named = readText(body.resolution, 'resolution', RESOLUTION, 'must be a resolution, such as 720p');
  const aspectRatio = readText(body.aspect_ratio, 'aspect_ratio', ASPECT_RATIO, 'must be a ratio, such as 16:9');
  const isNamedSize = typeof body.size === 'string' && RESOLUTION.test(body.size);
  const size = isNamedSize ? null : readText(body.size, 'size', SIZE, 'must be a size in pixels, such as 1280x720');
  const implied = isNamedSize ? String(body.size) : size === null ? null : resolutionOf(size);
  if (named !== null && implied !== null && named.toLowerCase() !== implied.toLowerCase()) {
    throw refuseField('size', 'contradicts resolution');
  }
  return { resolution: named ?? implied, aspectRatio, size };
}

/** The widest shape that films have. */
const RATIO_MAX = 2.4;

/** The lines of the shorter side. A wider picture than any counts as one of more lines, because it has as many pixels. */
function resolutionOf(size: string): string {
  const sides = size.split('x').map(Number);
  return `${Math.max(Math.min(...sides), Math.floor(Math.max(...sides) / RATIO_MAX))}p`;
}

function readText(value: unknown, path: string, pattern: RegExp, requirement: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || !pattern.test(value)) throw refuseField(path, requirement);
  return value;
}

function readSwitch(value: unknown, path: string): boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'boolean') throw refuseField(path, 'must be true or false');
  return value;
}

function readSeed(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw refuseField('seed', 'must be an integer');
  return value;
}

function readCallback(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value.length > CALLBACK_LENGTH_MAX) {
    throw refuseField('callback_url', `must be a URL of at most ${CALLBACK_LENGTH_MAX} characters`);
  }
  return value;
}
