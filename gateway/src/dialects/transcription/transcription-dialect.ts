// The dialect of transcriptions: a recording in a form or in JSON, and its text in the format that was asked for.

import { type Content, JSON_TYPE } from '../../canonical/answer.ts';
import { type JsonObject, objectOrEmpty } from '../../canonical/json.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';
import type { Bill, Dialect, Intake } from '../dialect.ts';
import { parseTranscriptionRequest } from './parse-request.ts';
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
    const renderer = Object.hasOwn(renderers, request.responseFormat) ? renderers[request.responseFormat] : undefined;
    return renderer?.(json) ?? renderJson(json, bill);
  },
};

/** Everything as it came, except the cost, which is ours. */
function renderJson(json: JsonObject, { costUsd }: Bill): Content {
  const { provider: _, usage, ...rest } = json;
  const counted = objectOrEmpty(usage);
  return {
    type: JSON_TYPE,
    body: stringifyExactJson({ ...rest, usage: { ...counted, cost: costUsd } }),
  };
}

function textOf({ text }: JsonObject): string {
  return typeof text === 'string' ? text.replace(/\n+$/, '') : '';
}
