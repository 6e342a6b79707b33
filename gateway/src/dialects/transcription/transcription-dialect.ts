// The dialect of transcriptions: a recording in a form or in JSON, and its text in the format that was asked for. No
// upstream is asked for a stream, which may come without usage: a client that reads events gets the whole text in one.

import { type Content, EVENTS_TYPE, JSON_TYPE } from '../../canonical/answer.ts';
import { type JsonObject, objectOrEmpty } from '../../canonical/json.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';
import type { Bill, Dialect, Intake } from '../dialect.ts';
import { isStreamed, parseTranscriptionRequest } from './parse-request.ts';
import { renderSrt, renderVtt } from './render-subtitles.ts';

/** The route's limit on the whole body comes first; the rest of it is for the file. */
const INTAKE: Intake = {
  form: { filesMax: 1, fileBytesMax: 10_485_760, fieldsMax: 32, fieldBytesMax: 131_072 },
  formOnly: null,
};

const renderers: Readonly<Record<string, (json: JsonObject) => Content>> = {
  text: (json) => ({ type: 'text/plain; charset=utf-8', body: `${textOf(json)}\n` }),
  srt: (json) => ({ type: 'text/plain; charset=utf-8', body: renderSrt(json) }),
  vtt: (json) => ({ type: 'text/vtt; charset=utf-8', body: renderVtt(json) }),
};

export const transcriptionDialect: Dialect<'transcription'> = {
  operation: 'transcription',
  format: 'transcription',
  forwardedHeaders: [],
  intake: INTAKE,
  read: parseTranscriptionRequest,
  render({ json }, { request }, bill) {
    if (isStreamed(request.body)) return renderEvents(json, bill);
    const renderer = Object.hasOwn(renderers, request.responseFormat) ? renderers[request.responseFormat] : undefined;
    return renderer?.(json) ?? renderJson(json, bill);
  },
};

/** Everything as it came, except the cost, which is ours. */
function renderJson(json: JsonObject, bill: Bill): Content {
  return { type: JSON_TYPE, body: stringifyExactJson(withCost(json, bill)) };
}

function withCost({ provider: _, usage, ...rest }: JsonObject, { costUsd }: Bill): JsonObject {
  return { ...rest, usage: { ...objectOrEmpty(usage), cost: costUsd } };
}

function renderEvents(json: JsonObject, bill: Bill): Content {
  const text = textOf(json);
  const { logprobs, usage } = withCost(json, bill);
  const events = [
    { type: 'transcript.text.delta', delta: text },
    { type: 'transcript.text.done', text, ...(logprobs === undefined ? {} : { logprobs }), usage },
  ];
  return { type: EVENTS_TYPE, body: events.map((event) => `data: ${stringifyExactJson(event)}\n\n`).join('') };
}

function textOf({ text }: JsonObject): string {
  return typeof text === 'string' ? text.replace(/\n+$/, '') : '';
}
