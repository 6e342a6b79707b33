// POST /audio/speech: a sound whose length follows the text's, in the format that was asked for.

import type { Answer } from '../../answer.ts';
import { makeSound, SOUND_FORMATS } from '../../content/sound.ts';
import { isObject, type JsonObject, numberAt, stringAt } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { openaiProtocol } from './protocol.ts';

const INPUT_LENGTH_MAX = 4_096;
const SECONDS_PER_CHARACTER = 0.06;
const SECONDS_MAX = 30;

function findMistake(body: JsonObject): string | undefined {
  const input = stringAt(body, 'input') ?? '';
  if (stringAt(body, 'model') === undefined) return 'you must provide a model parameter';
  if (input === '') return "Missing required parameter: 'input'.";
  if (input.length > INPUT_LENGTH_MAX) return `string_above_max_length: 'input' has more than ${INPUT_LENGTH_MAX}.`;
  if (stringAt(body, 'voice') === undefined && !isObject(body.voice)) return "Missing required parameter: 'voice'.";
  const speed = numberAt(body, 'speed') ?? 1;
  return speed >= 0.25 && speed <= 4 ? undefined : "Invalid 'speed'.";
}

function answerSpeech({ body, commands }: Call): Answer {
  const mistake = findMistake(body);
  if (mistake !== undefined) return openaiProtocol.error(400, mistake);
  const length = (stringAt(body, 'input') ?? '').length;
  const seconds = Math.min(SECONDS_MAX, (length * SECONDS_PER_CHARACTER) / (numberAt(body, 'speed') ?? 1));
  const sound = makeSound(stringAt(body, 'response_format') ?? 'mp3', seconds);
  if (sound === undefined) return openaiProtocol.error(400, `response_format is none of ${SOUND_FORMATS.join(', ')}`);
  const bytes = commands.size === undefined ? sound.bytes : Buffer.alloc(commands.size, sound.bytes);
  return { kind: 'whole', status: 200, headers: { 'content-type': sound.contentType }, body: bytes };
}

export const speechOperation: Operation = {
  method: 'POST',
  path: '/audio/speech',
  protocol: openaiProtocol,
  answer: answerSpeech,
};
