// The lines of an uploaded batch, checked one by one: each is a call of the batch's endpoint with a name of its own.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { LineCutter } from '../../platform/line-cutter.ts';
import type { BatchProblem } from './store/batches.ts';

const LINES_MAX = 50_000;
const LINE_BYTES_MAX = 4 * 1024 * 1024;
const CUSTOM_ID_LENGTH_MAX = 256;

type BatchLine = Readonly<{ lineNo: number; customId: string; body: string }>;

/** Ends the reading of a batch that cannot be run. */
export class BadLineError extends Error {
  readonly problem: BatchProblem;

  constructor(code: string, message: string, line: number | null) {
    super(message);
    this.name = 'BadLineError';
    this.problem = { code, message, line };
  }
}

export async function* readLines(content: AsyncIterable<Buffer>, endpoint: string): AsyncIterable<BatchLine> {
  const names = new Set<string>();
  let lineNo = 0;
  for await (const text of textsOf(content)) {
    lineNo += 1;
    if (text.trim() === '') continue;
    if (names.size >= LINES_MAX) throw new BadLineError('too_many_tasks', `At most ${LINES_MAX} lines are run.`, null);
    const { customId, body } = readLine(text, lineNo, endpoint);
    if (names.has(customId)) throw new BadLineError('duplicate_custom_id', 'custom_id must be unique.', lineNo);
    names.add(customId);
    yield { lineNo, customId, body };
  }
  if (names.size === 0) throw new BadLineError('empty_file', 'The file has no lines.', null);
}

function readLine(text: string, lineNo: number, endpoint: string): Omit<BatchLine, 'lineNo'> {
  const line = parse(text, lineNo);
  const { custom_id: customId, method, url, body } = line;
  if (typeof customId !== 'string' || customId === '' || customId.length > CUSTOM_ID_LENGTH_MAX) {
    throw new BadLineError(
      'invalid_custom_id',
      `custom_id must be text of 1 to ${CUSTOM_ID_LENGTH_MAX} characters.`,
      lineNo,
    );
  }
  if (method !== 'POST') throw new BadLineError('invalid_method', 'method must be POST.', lineNo);
  if (url !== endpoint) throw new BadLineError('mismatched_endpoint', "url must be the batch's endpoint.", lineNo);
  if (!isJsonObject(body)) throw new BadLineError('invalid_body', 'body must be an object.', lineNo);
  if (body.stream === true) throw new BadLineError('invalid_body', 'stream cannot be true in a batch.', lineNo);
  return { customId, body: JSON.stringify(body) };
}

function parse(text: string, lineNo: number): JsonObject {
  try {
    const line: unknown = JSON.parse(text);
    if (isJsonObject(line)) return line;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new BadLineError('invalid_json_line', 'The line is not a JSON object.', lineNo);
}

async function* textsOf(content: AsyncIterable<Buffer>): AsyncIterable<string> {
  const cutter = new LineCutter();
  for await (const chunk of content) {
    yield* cutter.push(chunk);
    if (cutter.restBytes > LINE_BYTES_MAX) {
      throw new BadLineError('line_too_long', `A line may have at most ${LINE_BYTES_MAX} bytes.`, null);
    }
  }
  yield cutter.end();
}
