// POST /audio/transcriptions. The sound is not listened to: the text says how long the recording was, cut into
// segments, in each of the formats of the real API. The length is the recording's own, so that a bill by the second can
// be checked.

import { type Answer, jsonAnswer } from '../../answer.ts';
import type { Commands } from '../../command-rules.ts';
import { secondsOf } from '../../content/sound.ts';
import { countTokens, splitEvenly } from '../../content/text.ts';
import { bendUsage } from '../../content/usage-fault.ts';
import { type JsonObject, stringAt } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { openaiProtocol } from './protocol.ts';

const SEGMENT_SECONDS = 5;
const TOKENS_PER_SECOND = 10;
const MICRO_PER_USD = 1_000_000;

type Segment = Readonly<{ id: number; start: number; end: number; text: string }>;

type Transcript = Readonly<{ text: string; seconds: number; segments: readonly Segment[]; usage: unknown }>;

function transcribe(bytes: Buffer, body: JsonObject, commands: Commands): Transcript {
  const seconds = commands.seconds ?? secondsOf(bytes);
  const language = stringAt(body, 'language');
  const text = `A simulated transcription of ${seconds} seconds${language === undefined ? '' : ` in ${language}`}.`;
  const count = Math.max(1, Math.min(8, Math.ceil(seconds / SEGMENT_SECONDS)));
  const segments = splitEvenly(text, count).map((piece, id) => ({
    id,
    start: Math.round((seconds * id * 1_000) / count) / 1_000,
    end: Math.round((seconds * (id + 1) * 1_000) / count) / 1_000,
    text: piece,
  }));
  const isCountedInTokens = commands.promptTokens !== undefined || /transcribe/.test(stringAt(body, 'model') ?? '');
  const usage = isCountedInTokens ? tokensOf(seconds, text, commands) : { type: 'duration', seconds };
  const { costMicroUsd } = commands;
  const stated = costMicroUsd === undefined ? usage : { ...usage, cost: costMicroUsd / MICRO_PER_USD };
  return { text, seconds, segments, usage: bendUsage(stated, commands.usage) };
}

/** As the newer models of the real API count. */
function tokensOf(seconds: number, text: string, { promptTokens, completionTokens }: Commands): JsonObject {
  const heard = promptTokens ?? Math.ceil(seconds * TOKENS_PER_SECOND);
  const said = completionTokens ?? countTokens(text);
  return {
    type: 'tokens',
    input_tokens: heard,
    input_token_details: { text_tokens: 0, audio_tokens: heard },
    output_tokens: said,
    total_tokens: heard + said,
  };
}

function stamp(seconds: number, separator: string): string {
  const two = (figure: number): string => String(figure).padStart(2, '0');
  const whole = Math.floor(seconds);
  const clock = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map(two).join(':');
  return `${clock}${separator}${String(Math.round((seconds - whole) * 1000)).padStart(3, '0')}`;
}

const plain = (body: string, type = 'text/plain; charset=utf-8'): Answer => ({
  kind: 'whole',
  status: 200,
  headers: { 'content-type': type },
  body: Buffer.from(body),
});

const FORMATS: Readonly<Record<string, (transcript: Transcript) => Answer>> = {
  json: ({ text, usage }) => jsonAnswer(200, { text, usage }),
  text: ({ text }) => plain(`${text}\n`),
  srt: ({ segments }) =>
    plain(
      segments
        .map(({ id, start, end, text }) => `${id + 1}\n${stamp(start, ',')} --> ${stamp(end, ',')}\n${text}\n\n`)
        .join(''),
    ),
  vtt: ({ segments }) =>
    plain(
      `WEBVTT\n\n${segments
        .map(({ start, end, text }) => `${stamp(start, '.')} --> ${stamp(end, '.')}\n${text}\n\n`)
        .join('')}`,
      'text/vtt',
    ),
  verbose_json: ({ text, seconds, segments, usage }) =>
    jsonAnswer(200, { task: 'transcribe', language: 'english', duration: seconds, text, segments, usage }),
};

function answerTranscription({ body, files, commands }: Call): Answer {
  const file = files.find(({ name }) => name === 'file');
  if (file === undefined) return openaiProtocol.error(400, "Missing required parameter: 'file'.");
  if (stringAt(body, 'model') === undefined) return openaiProtocol.error(400, 'you must provide a model parameter');
  if (file.bytes.length === 0) return openaiProtocol.error(400, 'The audio file could not be decoded.');
  const format = stringAt(body, 'response_format') ?? 'json';
  const render = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (render === undefined) return openaiProtocol.error(400, `Invalid response_format: '${format}'.`);
  return render(transcribe(file.bytes, body, commands));
}

export const transcriptionsOperation: Operation = {
  method: 'POST',
  path: '/audio/transcriptions',
  protocol: openaiProtocol,
  takesForm: true,
  answer: answerTranscription,
};
