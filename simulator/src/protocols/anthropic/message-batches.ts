// POST /messages/batches and the requests about one afterwards. A batch exists even when the answer to its creation is
// lost, as in reality; one that was cancelled in time has run none of its calls.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { answerLine, BATCH_RUN_MS } from '../../content/batch-lines.ts';
import { isObject, type JsonObject, objectAt } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { anthropicProtocol } from './protocol.ts';

type Batch = Readonly<{ id: string; requests: readonly JsonObject[]; createdAtMs: number; order: Call }> & {
  isCancelled: boolean;
};

const KEPT_MAX = 1_000;
const isOver = ({ createdAtMs, isCancelled }: Batch): boolean =>
  isCancelled || Date.now() - createdAtMs >= BATCH_RUN_MS;

const missing = (): Answer => anthropicProtocol.error(404, 'No such batch (simulated).');

function describe(batch: Batch): JsonObject {
  const { id, requests, createdAtMs, isCancelled } = batch;
  const isDone = isOver(batch);
  const counts = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  return {
    ...{ id, type: 'message_batch', processing_status: isDone ? 'ended' : 'in_progress' },
    request_counts: { ...counts, [isCancelled ? 'canceled' : isDone ? 'succeeded' : 'processing']: requests.length },
    created_at: new Date(createdAtMs).toISOString(),
    expires_at: new Date(createdAtMs + 86_400_000).toISOString(),
    ended_at: isDone ? new Date().toISOString() : null,
    cancel_initiated_at: isCancelled ? new Date().toISOString() : null,
    archived_at: null,
    results_url: isDone ? `https://simulated.invalid/v1/messages/batches/${id}/results` : null,
  };
}

function resultOf(request: JsonObject, batch: Batch, messages: Operation): JsonObject {
  if (batch.isCancelled) return { custom_id: request.custom_id, result: { type: 'canceled' } };
  const { status, body } = answerLine(messages, objectAt(request, 'params') ?? {}, batch.order);
  const said = JSON.parse(body.toString()) as unknown;
  const result = status < 400 ? { type: 'succeeded', message: said } : { type: 'errored', error: said };
  return { custom_id: request.custom_id, result };
}

/** `messages` is the operation that every call of a batch uses. */
export function createMessageBatchOperations(messages: Operation): readonly Operation[] {
  const protocol = anthropicProtocol;
  const batches = new Map<string, Batch>();

  const order = (call: Call): Answer => {
    const { requests } = call.body;
    if (!Array.isArray(requests) || requests.length === 0 || !requests.every(isObject)) {
      return protocol.error(400, 'requests: must be a list of requests');
    }
    if (batches.size >= KEPT_MAX) batches.clear();
    const id = `msgbatch_${call.sequence}`;
    const batch: Batch = { id, requests, createdAtMs: Date.now(), order: call, isCancelled: false };
    batches.set(id, batch);
    return { ...jsonAnswer(200, describe(batch)), isStateful: true };
  };
  const find = ({ params }: Call): Answer => {
    const batch = batches.get(params.id ?? '');
    return batch === undefined ? missing() : jsonAnswer(200, describe(batch));
  };
  const list = (): Answer => {
    const data = [...batches.values()].reverse().slice(0, 100).map(describe);
    return jsonAnswer(200, { data, has_more: false, first_id: null, last_id: null });
  };
  const cancel = ({ params }: Call): Answer => {
    const batch = batches.get(params.id ?? '');
    if (batch === undefined) return missing();
    if (!isOver(batch)) batch.isCancelled = true;
    return { ...jsonAnswer(200, describe(batch)), isStateful: true };
  };
  const results = ({ params }: Call): Answer => {
    const batch = batches.get(params.id ?? '');
    if (batch === undefined || !isOver(batch)) return missing();
    const lines = batch.requests.map((request) => `${JSON.stringify(resultOf(request, batch, messages))}\n`);
    const body = Buffer.from(lines.reverse().join(''));
    return { kind: 'whole', status: 200, headers: { 'content-type': 'application/x-jsonl' }, body, isStateful: true };
  };
  return [
    { method: 'POST', path: '/messages/batches', protocol, answer: order },
    { method: 'GET', path: '/messages/batches', protocol, answer: list },
    { method: 'GET', path: '/messages/batches/:id', protocol, answer: find },
    { method: 'POST', path: '/messages/batches/:id/cancel', protocol, answer: cancel },
    { method: 'GET', path: '/messages/batches/:id/results', protocol, answer: results },
  ];
}
