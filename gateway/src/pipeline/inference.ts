// The journey of a paid call, stage by stage; each stage is a file of its own and returns a readonly value.
//
//   authenticate  who calls, who pays                       401 403
//   limit rate    requests per minute                       429
//   parse         the dialect's body to a canonical request 400 413
//   resolve       names to models                           400 410 503
//   authorize     does the model fit the request            400 403
//   fit context   trim or refuse a prompt too long          400
//   guard         reviewers may refuse or redact            400 403
//   route         candidates in the order they are tried    503
//   admit         what limits its spending, and who is out  429
//   reserve       hold what it may cost, under every limit  402 429 503
//   dispatch      attempts until one answers                429 502 503 504
//   relay         to the client; meter, settle, record      error frame once the stream has begun

import type { Dialect } from '../dialects/dialect.ts';
import { readJsonBody } from '../http/body.ts';
import type { Exchange } from '../http/exchange.ts';
import { admit, refuseRestricted } from './admit.ts';
import { authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { openCall } from './call.ts';
import { Completion } from './completion.ts';
import { dispatch } from './dispatch.ts';
import { fitContext } from './fit-context.ts';
import { guard } from './guard.ts';
import { limitRate } from './limit-rate.ts';
import { Presence } from './presence.ts';
import { relay } from './relay.ts';
import { reserve } from './reserve.ts';
import { resolve } from './resolve.ts';
import { route } from './route.ts';
import type { InferenceServices } from './services.ts';

export async function runInference(exchange: Exchange, dialect: Dialect, services: InferenceServices): Promise<void> {
  const { clock, ledger } = services;
  const caller = await authenticate(exchange, services);
  await limitRate(exchange, caller, services);
  refuseRestricted(caller, services);
  const parsed = dialect.parse(await readJsonBody(exchange));
  const named = resolve(parsed, services, clock.nowMs());
  authorize(parsed, named);
  const { request: fitted, resolution } = await fitContext(parsed, dialect, named);
  const request = await guard(fitted, caller, services.reviewers);
  const selection = route({ request, resolution, caller }, services);
  const call = openCall(exchange, { caller, request, dialect, auto: resolution.auto }, clock);
  const caps = admit(caller, services);
  const reservation = await reserve(ledger, call, selection.candidates, caps);
  const completion = new Completion(call, ledger, clock, reservation);
  try {
    const presence = new Presence(exchange.response);
    const dispatched = await dispatch(call, selection, presence, services);
    await relay({ exchange, call, completion, presence, dispatched }, services);
  } finally {
    // Whatever went wrong above, nothing stays held.
    completion.release(null);
  }
}
