// Shows a whole answer to the client, with what it was charged, in the client's own format.

import { type Content, EVENTS_TYPE } from '../canonical/content.ts';
import type { Candidate } from '../canonical/model.ts';
import type { Bill } from '../dialects/dialect.ts';
import type { Exchange } from '../http/exchange.ts';
import { sendBytes } from '../http/respond.ts';
import { sendEvents } from '../http/sse.ts';
import { assert } from '../platform/assert.ts';
import type { WholeAnswer } from './attempt.ts';
import type { Call } from './call.ts';
import { GENERATION_ID } from './client-stream.ts';
import { renderContext } from './render-context.ts';

type Paid = Readonly<{ call: Call; candidate: Candidate; answer: WholeAnswer; bill: Bill }>;

/** Of an answer that is certain to come. */
export function pushSuccessHeaders({ headers }: Exchange, { generationId, auto }: Call, candidate: Candidate): void {
  headers.push(GENERATION_ID, generationId);
  const exhausted = candidate.freeShare?.exhausted ?? null;
  if (exhausted !== null) headers.push('x-tollgate-free-fallback', exhausted);
  if (auto !== null) headers.push('X-Auto-Resolved-Model', candidate.model.id);
}

/** A promise only where the answer has to be made ready, as pictures are. */
export function sendAnswer(exchange: Exchange, { call, candidate, answer, bill }: Paid): undefined | Promise<void> {
  const { dialect } = call;
  assert(dialect.render !== undefined, `${dialect.operation} has no whole answers`);
  const content = dialect.render(answer.answer, renderContext(call, candidate.model), bill);
  if (content instanceof Promise) return content.then((ready) => send(exchange, ready));
  send(exchange, content);
  return undefined;
}

function send(exchange: Exchange, content: Content): void {
  if (content.type === EVENTS_TYPE) sendEvents(exchange, content.body);
  else sendBytes(exchange, 200, content);
}
