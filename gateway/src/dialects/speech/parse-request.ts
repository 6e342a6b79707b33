// Turns the body of a speech call into the request that the rest of the gateway works with. The upstream knows voices
// and formats; counted here are the characters of the text, which are paid for.

import { isFilled, isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import type { SpeechRequest } from '../../canonical/operation.ts';
import { userPassage, visitPassage } from '../../canonical/passage.ts';
import { NO_NEEDS } from '../../canonical/request.ts';
import { parseModelNames } from '../parse-model-names.ts';
import { parseProviderPreferences } from '../parse-provider-preferences.ts';
import { refuseField, refuseMissing } from '../refuse.ts';

const VOICE_LENGTH_MAX = 256;
const FORMAT = /^[a-z0-9_-]{1,32}$/;
const SPEED_MIN = 0.25;
const SPEED_MAX = 4;
const INSTRUCTIONS_LENGTH_MAX = 32_768;

/** Many upstreams use `application/octet-stream` for every file that is not text. */
const FILE_TYPES = ['audio/', 'application/octet-stream', 'binary/octet-stream', 'application/ogg', 'video/webm'];
const EVENT_TYPE = 'text/event-stream';

export function parseSpeechRequest(body: JsonObject): SpeechRequest {
  const [modelName] = parseModelNames(body.model, undefined);
  const { input, instructions } = body;
  if (input === undefined || input === null) throw refuseMissing('input');
  if (!isFilled(input)) throw refuseField('input', 'must be a string that is not empty');
  checkVoice(body.voice);
  checkFormat(body.response_format);
  checkSpeed(body.speed);
  const hasInstructions = isSet(instructions);
  if (hasInstructions && (typeof instructions !== 'string' || instructions.length > INSTRUCTIONS_LENGTH_MAX)) {
    throw refuseField('instructions', `must be a string of at most ${INSTRUCTIONS_LENGTH_MAX} characters`);
  }
  return {
    operation: 'speech',
    format: 'speech',
    modelName,
    fallbackModelNames: [],
    isStream: true,
    promptTokensEstimate: 0,
    outputTokensMax: 0,
    choiceCount: 1,
    unitsMax: { characters: countCharacters(input) },
    needs: NO_NEEDS,
    preferences: parseProviderPreferences(body),
    expectedTypes: body.stream_format === 'sse' ? [EVENT_TYPE] : FILE_TYPES,
    body,
    visitTexts(visitor) {
      visitPassage(visitor, userPassage(input));
      if (typeof instructions === 'string') visitPassage(visitor, { origin: 'instructions', parts: [instructions] });
    },
    withTexts: (replace) =>
      parseSpeechRequest({
        ...body,
        input: replace(input),
        ...(typeof instructions === 'string' ? { instructions: replace(instructions) } : {}),
      }),
  };
}

/** Unicode code points: what readers call characters; a surrogate pair is one. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function checkVoice(voice: unknown): void {
  if (voice === undefined || voice === null) throw refuseMissing('voice');
  const name = isJsonObject(voice) ? voice.id : voice;
  if (!isFilled(name) || name.length > VOICE_LENGTH_MAX) {
    throw refuseField('voice', 'must be the name of a voice, or an object with its id');
  }
}

function checkFormat(format: unknown): void {
  if (format === undefined || format === null) return;
  if (typeof format !== 'string' || !FORMAT.test(format)) {
    throw refuseField('response_format', 'must be the name of a format, such as mp3 or wav');
  }
}

function checkSpeed(speed: unknown): void {
  if (speed === undefined || speed === null) return;
  if (typeof speed !== 'number' || !(speed >= SPEED_MIN && speed <= SPEED_MAX)) {
    throw refuseField('speed', `must be a number from ${SPEED_MIN} to ${SPEED_MAX}`);
  }
}
