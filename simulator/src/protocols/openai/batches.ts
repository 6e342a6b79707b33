// POST /files and /batches, and the requests about them afterwards. A batch exists even when the answer to its creation
// is lost, as in reality; one that was cancelled in time has run none of its lines.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { answerLine, BATCH_RUN_MS } from '../../content/batch-lines.ts';
import { isObject, type JsonObject, objectAt, stringAt } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { openaiProtocol } from './protocol.ts';

type Batch = Readonly<{
  id: string;
  inputFileId: string;
  endpoint: string;
  metadata: JsonObject;
  lines: readonly JsonObject[];
  createdAtMs: number;
  order: Call;
}> & { cancelledAtMs: number | null };

const KEPT_MAX = 1_000;
const isOver = ({ createdAtMs, cancelledAtMs }: Batch): boolean =>
  cancelledAtMs !== null || Date.now() - createdAtMs >= BATCH_RUN_MS;

const missing = (what: string): Answer => openaiProtocol.error(404, `No such ${what} (simulated).`);

function describe(batch: Batch): JsonObject {
  const { id, lines, cancelledAtMs } = batch;
  const isDone = isOver(batch);
  const status = cancelledAtMs !== null ? 'cancelled' : isDone ? 'completed' : 'in_progress';
  return {
    ...{ id, object: 'batch', endpoint: batch.endpoint, input_file_id: batch.inputFileId, completion_window: '24h' },
    ...{ status, created_at: Math.floor(batch.createdAtMs / 1000), metadata: batch.metadata },
    output_file_id: isDone && cancelledAtMs === null ? `${id}-output` : null,
    error_file_id: isDone ? `${id}-errors` : null,
    request_counts: { total: lines.length, completed: isDone ? lines.length : 0, failed: 0 },
  };
}

function resultsOf(batch: Batch, isError: boolean, operationOf: (path: string) => Operation | undefined): Buffer {
  const operation = operationOf(batch.endpoint.replace(/^\/v1/, ''));
  const results = batch.lines.flatMap((line, index): JsonObject[] => {
    const names = { id: `batch_req_${index}`, custom_id: line.custom_id };
    if (batch.cancelledAtMs !== null) {
      return isError ? [{ ...names, response: null, error: { code: 'batch_cancelled', message: 'x' } }] : [];
    }
    if (operation === undefined) return [];
    const { status, body } = answerLine(operation, objectAt(line, 'body') ?? {}, batch.order);
    if (status >= 400 !== isError) return [];
    const response = { status_code: status, request_id: `req_${index}`, body: JSON.parse(body.toString()) as unknown };
    return [{ ...names, response, error: null }];
  });
  // Results come in any order.
  return Buffer.from(
    results
      .reverse()
      .map((result) => `${JSON.stringify(result)}\n`)
      .join(''),
  );
}

function readLines(bytes: Buffer): readonly JsonObject[] | undefined {
  try {
    const lines = bytes
      .toString()
      .split('\n')
      .filter((line) => line.trim() !== '');
    const parsed = lines.map((line): unknown => JSON.parse(line));
    return parsed.every(isObject) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** `lineOperations` are those that lines may use. */
export function createBatchOperations(lineOperations: readonly Operation[]): readonly Operation[] {
  const protocol = openaiProtocol;
  const files = new Map<string, Buffer>();
  const batches = new Map<string, Batch>();
  const operationOf = (path: string) => lineOperations.find((operation) => operation.path === path);
  const keep = <Value>(map: Map<string, Value>, id: string, value: Value): void => {
    if (map.size >= KEPT_MAX) map.clear();
    map.set(id, value);
  };

  const upload = ({ body, files: [file], sequence }: Call): Answer => {
    if (stringAt(body, 'purpose') !== 'batch' || file === undefined) return protocol.error(400, 'Invalid upload.');
    const id = `file-${sequence}`;
    keep(files, id, file.bytes);
    const described = { id, object: 'file', bytes: file.bytes.length, purpose: 'batch', filename: file.fileName };
    return { ...jsonAnswer(200, described), isStateful: true };
  };
  const order = (call: Call): Answer => {
    const inputFileId = stringAt(call.body, 'input_file_id') ?? '';
    const endpoint = stringAt(call.body, 'endpoint') ?? '';
    const bytes = files.get(inputFileId);
    const lines = bytes === undefined ? undefined : readLines(bytes);
    if (lines === undefined || operationOf(endpoint.replace(/^\/v1/, '')) === undefined) {
      return protocol.error(400, 'Invalid batch (simulated).');
    }
    const id = `batch_${call.sequence}`;
    const metadata = objectAt(call.body, 'metadata') ?? {};
    const made = {
      id,
      inputFileId,
      endpoint,
      metadata,
      lines,
      createdAtMs: Date.now(),
      order: call,
      cancelledAtMs: null,
    };
    keep(batches, id, made);
    return { ...jsonAnswer(200, describe(made)), isStateful: true };
  };
  const find = ({ params }: Call): Answer => {
    const batch = batches.get(params.id ?? '');
    return batch === undefined ? missing('batch') : jsonAnswer(200, describe(batch));
  };
  const list = (): Answer => {
    const data = [...batches.values()].reverse().slice(0, 100).map(describe);
    return jsonAnswer(200, { object: 'list', data, has_more: false });
  };
  const cancel = ({ params }: Call): Answer => {
    const batch = batches.get(params.id ?? '');
    if (batch === undefined) return missing('batch');
    if (!isOver(batch)) batch.cancelledAtMs = Date.now();
    return { ...jsonAnswer(200, describe(batch)), isStateful: true };
  };
  const content = ({ params }: Call): Answer => {
    const [, id = '', kind] = /^(.*)-(output|errors)$/.exec(params.id ?? '') ?? [];
    const batch = batches.get(id);
    if (batch === undefined || !isOver(batch)) return missing('file');
    const body = resultsOf(batch, kind === 'errors', operationOf);
    return { kind: 'whole', status: 200, headers: { 'content-type': 'application/jsonl' }, body, isStateful: true };
  };
  return [
    { method: 'POST', path: '/files', protocol, takesForm: true, answer: upload },
    { method: 'GET', path: '/files/:id/content', protocol, answer: content },
    { method: 'POST', path: '/batches', protocol, answer: order },
    { method: 'GET', path: '/batches', protocol, answer: list },
    { method: 'GET', path: '/batches/:id', protocol, answer: find },
    { method: 'POST', path: '/batches/:id/cancel', protocol, answer: cancel },
  ];
}
