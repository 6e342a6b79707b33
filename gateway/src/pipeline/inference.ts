// The journey of a paid call, stage by stage; each stage is a file of its own and returns a readonly value.
//
//   authenticate  who calls, who pays                       401 403
//   limit rate    requests per minute                       429
//   parse         the dialect's body to a canonical request 400 413
//   resolve       names to models                           400 410 503
//   authorize     does the model fit the request            400 403
//   fit context   trim or refuse a prompt too long          400
//   guard         reviewers may refuse or redact            400 403 503
//   quota         what a student's session has left         429
//   serve own     the organization's own upstream first     429 502 503 504
//   route         candidates in the order they are tried    503
//   admit         what limits its spending, and who is out  429
//   fund          a free quota, or hold what it may cost    402 429 503
//   dispatch      attempts until one answers                429 502 503 504
//   relay         to the client; meter, settle, record      error frame once the stream has begun

import type { Dialect } from '../dialects/dialect.ts';
import type { Exchange } from '../http/exchange.ts';
import { admit, countInFlight, refuseRestricted } from './admit.ts';
import { authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { type Call, openCall } from './call.ts';
import { CallTrace } from './call-trace.ts';
import { Completion } from './completion.ts';
import { dispatch } from './dispatch.ts';
import { fitContext } from './fit-context.ts';
import { fund } from './fund.ts';
import { guard } from './guard.ts';
import { limitRate } from './limit-rate.ts';
import { Presence } from './presence.ts';
import { withPulse } from './pulse.ts';
import { readSubmission } from './read-submission.ts';
import { relay } from './relay.ts';
import { type Resolution, resolve } from './resolve.ts';
import { routeAfterOwn, serveOwn } from './serve-own.ts';
import type { InferenceServices } from './services.ts';
import { withinQuota } from './student-quota.ts';

export function runInference(exchange: Exchange, dialect: Dialect, services: InferenceServices): Promise<void> {
  const { tracer, clock } = services;
  if (tracer === null) return infer(exchange, dialect, services, null);
  const trace = new CallTrace(exchange, dialect.operation, { tracer, clock });
  return trace.around(() => infer(exchange, dialect, services, trace));
}

async function infer(
  exchange: Exchange,
  dialect: Dialect,
  services: InferenceServices,
  trace: CallTrace | null,
): Promise<void> {
  const { clock } = services;
  const caller = await authenticate(exchange, services);
  await limitRate(exchange, caller, services);
  refuseRestricted(caller, services);
  const parsed = dialect.read(await readSubmission(exchange, dialect.intake, services.uploads));
  const named = resolve(parsed, services, clock.nowMs());
  const allowed = authorize(parsed, named, caller);
  const { request: fitted, resolution } = await fitContext(parsed, allowed);
  const request = await guard(fitted, caller, services.reviewers);
  const call = openCall(exchange, { caller, request, dialect, auto: resolution.auto, trace }, clock);
  trace?.identify(call.generationId);
  const run = () => withinQuota(call, services, (held) => serve(exchange, held, resolution, services));
  await withPulse(exchange, call, clock, run);
}

async function serve(
  exchange: Exchange,
  call: Call,
  resolution: Resolution,
  services: InferenceServices,
): Promise<void> {
  const { caller, request } = call;
  const presence = new Presence(exchange.response);
  const own = await serveOwn({ exchange, call, presence, resolution }, services);
  if (own.isOver) return;
  const selection = routeAfterOwn(own, { request, resolution, caller }, services);
  const caps = admit(caller, services);
  const funding = await fund({ exchange, call, selection, caps }, services);
  const countedNanoUsd = await countInFlight(call, funding, services);
  const completion = new Completion(call, services, funding.reservation, funding.selection.candidates[0]);
  try {
    const dispatched = await dispatch(call, funding, presence, services);
    await relay({ exchange, call, completion, presence, dispatched }, services);
  } finally {
    // Whatever went wrong above, nothing stays held.
    completion.abort();
    services.exposure.end(caller, countedNanoUsd);
  }
}
