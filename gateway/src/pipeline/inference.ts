// The journey of a paid call, stage by stage; each stage takes values and returns a readonly value.
//
//   authenticate  who calls, who pays                       401 403
//   limit rate    requests per minute                       429
//   restricted    did the user leave too much unpaid        429
//   parse         the dialect's body to a canonical request 400 413 415 429 503
//   resolve       names to models                           400 410 503
//   authorize     does the model fit the request            400 403
//   fit context   trim or refuse a prompt too long          400
//   guard         reviewers may refuse or redact            400 403 503
//   cache         an answer that was given before, if any   400
//   transcript    what is kept, where it was asked for
//   quota         what a student's session has left         429
//   own upstream  the organization's own is asked first     400 403 413 429 502 503 504
//   route         candidates in the order they are tried    400 429 502 503
//   hand over     a line of a batch, to a provider's batches
//   fund          a free quota, or money, under its caps    400 402 429 503
//   admit         is too much unpaid, or under way          429
//   paid call     attempts until one answers; judge, relay, 400 403 413 429 502 503 504
//                 meter, settle and record                  an error frame once the stream has begun
//
// A stage that needs no I/O answers at once, and only one that does is waited for: nearly all calls wait for their
// body, their upstream and their commit alone, and with Redis for their rate. A stage that has to ask the database
// answers 503 while the database is away.

import type { Caller } from '../canonical/caller.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { Exchange } from '../http/exchange.ts';
import { sendBytes } from '../http/respond.ts';
import type { UnderWay } from '../modules/limits/exposure-rules.ts';
import { capsFor, countUnderWay, refuseRestricted } from './admit.ts';
import { authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { type Call, CallReviews, named, openCall } from './call.ts';
import { CallTrace } from './call-trace.ts';
import { fitContext } from './fit-context.ts';
import { fund } from './fund.ts';
import { guard, reviewOf } from './guard.ts';
import { type ClientPulse, startPulse } from './keep-alive.ts';
import { keepTranscript } from './keep-transcript.ts';
import { endHanded } from './later/end-handed.ts';
import { handOver } from './later/hand-over.ts';
import { limitRate } from './limit-rate.ts';
import { askOwn, routeAfterOwn } from './own-upstream.ts';
import { PaidCall } from './paid-call.ts';
import { readSubmission } from './read-submission.ts';
import { noteRefusal, withPaymentAdvice } from './refusals.ts';
import { askCache, type CachedCall } from './repeats/answer-again.ts';
import { resolve } from './resolve.ts';
import type { InferenceServices } from './services.ts';
import { quotaOf, type StudentQuota } from './student-quota.ts';

export function runInference(exchange: Exchange, dialect: Dialect, services: InferenceServices): Promise<void> {
  const { tracer, clock } = services;
  if (exchange.line?.reply !== undefined) return endHanded(exchange, exchange.line.reply, dialect, services);
  if (tracer === null) return infer(exchange, dialect, services, null);
  const trace = new CallTrace(exchange, dialect.operation, { tracer, clock });
  return trace.around(() => infer(exchange, dialect, services, trace));
}

type Trace = CallTrace | null;

async function infer(exchange: Exchange, dialect: Dialect, services: InferenceServices, trace: Trace): Promise<void> {
  let caller: Caller | undefined;
  let modelName: string | undefined;
  let quota: StudentQuota | null = null;
  let pulse: ClientPulse | null = null;
  let cache: CachedCall | null = null;
  let counted: UnderWay | null = null;
  let isAnswered = false;
  const reviews = new CallReviews();
  try {
    const found = authenticate(exchange, services);
    caller = found instanceof Promise ? await found : found;
    const limiting = limitRate(exchange, caller, services);
    if (limiting !== undefined) await limiting;
    refuseRestricted(caller, services);
    const reading = readSubmission(exchange, dialect.intake, caller, services.uploads);
    const parsed = dialect.read(reading instanceof Promise ? await reading : reading);
    modelName = parsed.modelName;
    const here = dialect.answerHere?.(parsed, caller.accountId) ?? null;
    if (here !== null) return sendBytes(exchange, 200, await here);
    const allowed = authorize(parsed, resolve(parsed, services, services.clock.nowMs()), caller);
    const fitting = fitContext(parsed, allowed);
    const { request: fitted, resolution } = fitting instanceof Promise ? await fitting : fitting;
    const guarding = guard(fitted, caller, services.reviewers, reviews);
    const request = guarding instanceof Promise ? await guarding : guarding;
    quota = quotaOf(caller, request, services);
    const choosing = reviewOf(caller, request, services.outputReviewOf, reviews);
    const review = choosing instanceof Promise ? await choosing : choosing;
    const call = openCall(exchange, { caller, request, dialect, resolution, trace, quota, review, reviews }, services);
    cache = askCache(exchange, call, services);
    if (cache !== null && (await cache.answer(resolution))) return;
    const client = keepTranscript(cache === null ? exchange : cache.exchange, call, resolution, services);
    pulse = startPulse(client, call, services.clock);
    if (quota !== null) await quota.take();
    const serving = askOwn({ exchange: client, call, resolution }, services);
    const own = serving instanceof Promise ? await serving : serving;
    if (!own.isOver) {
      const selection = routeAfterOwn(own, { request, resolution, caller }, services);
      if (exchange.line !== undefined && (await handOver(exchange.line, call, selection, services))) return;
      const finding = fund({ exchange: client, call, selection, caps: capsFor(caller, services) }, services);
      const funding = finding instanceof Promise ? await finding : finding;
      const counting = countUnderWay(call, funding, services);
      counted = counting instanceof Promise ? await counting : counting;
      const paid = new PaidCall(client, call, funding, services);
      const failure = await paid.run();
      if (failure !== null) throw failed(paid, failure.error, call);
    }
    isAnswered = true;
  } catch (thrown) {
    const error = withPaymentAdvice(thrown, services);
    noteRefusal({ exchange, operation: dialect.operation, caller, modelName }, error, services);
    pulse?.fail(error);
    throw error;
  } finally {
    cache?.end();
    pulse?.stop();
    if (caller !== undefined && counted !== null) services.exposure.end(caller, counted);
    if (quota !== null) await quota.end(isAnswered);
  }
}

function failed(paid: PaidCall, error: Error, call: Call): Error {
  paid.fail();
  return named(error, call);
}
