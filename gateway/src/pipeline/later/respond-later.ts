// Calls with `Prefer: respond-async`: the client gets a job at once and asks for the answer later, or is called when it
// is there. The job is a batch of one line, so it is run, charged and kept as one; calls without the header pass
// straight through.

import type { IncomingHttpHeaders } from 'node:http';
import type { JobObject } from '../../contract/inference/jobs.ts';
import type { Shape } from '../../contract/shape.ts';
import { ApiError } from '../../errors/api-error.ts';
import { readUsualBody } from '../../http/body.ts';
import type { Exchange, Handler, HttpRequest } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Job, Jobs } from '../../modules/batches/jobs.ts';
import type { Clock } from '../../platform/clock.ts';
import { packHeaded } from '../../platform/headed-bytes.ts';
import type { AddressPurpose, Outbound } from '../../platform/outbound/outbound.ts';
import { ForbiddenUrlError, OutboundError } from '../../platform/outbound/outbound-error.ts';
import { type AdmissionServices, refuseRestricted } from '../admit.ts';
import { type AuthenticationServices, authenticate } from '../authenticate.ts';
import { callNetwork } from '../call-network.ts';
import { limitRate, type RateServices } from '../limit-rate.ts';

type LaterServices = AuthenticationServices &
  RateServices &
  AdmissionServices &
  Readonly<{
    jobs: Pick<Jobs, 'create'>;
    outbound: Pick<Outbound, 'checkUrl'>;
    callbackPurpose: AddressPurpose;
    clock: Clock;
    siteUrl(): string;
  }>;

/** The head of a job's request, which is kept beside its body. */
export type JobHead = Readonly<{ headers: IncomingHttpHeaders; queryText: string }>;

const ASYNC = /(?:^|[\s,;])respond-async(?:$|[\s,;])/i;
const CALLBACK = 'x-tollgate-callback';
const CALLBACK_LENGTH_MAX = 2_048;
const FULL_RETRY_SECONDS = 60;
const RETRY_AFTER_SECONDS = '2';
/** Headers that are not kept: credentials, and those that belong to this connection or have been dealt with. */
const OWN: ReadonlySet<string> = new Set([
  ...['authorization', 'x-api-key', 'cookie', 'prefer', 'idempotency-key', CALLBACK],
  ...['connection', 'content-length', 'transfer-encoding', 'expect', 'host', 'keep-alive', 'upgrade'],
]);

/** Wraps a handler that calls a model. */
export type Later = (handle: Handler) => Handler;

export const createLater =
  (services: LaterServices): Later =>
  (handle) =>
  (exchange) =>
    asksForJob(exchange.request) ? take(exchange, handle, services) : handle(exchange);

export const asksForJob = ({ headers: { prefer } }: HttpRequest): boolean =>
  typeof prefer === 'string' && ASYNC.test(prefer);

async function take(exchange: Exchange, handle: Handler, services: LaterServices): Promise<void> {
  const caller = await authenticate(exchange, services);
  // A preference may be ignored. A student's session could end before the job runs, so a student is answered at once.
  if (caller.student !== undefined) return handle(exchange);
  await limitRate(exchange, caller, services);
  refuseRestricted(caller, services);
  const callbackUrl = await readCallback(exchange, services);
  const { accountId, userId, keyId } = caller;
  const body = await readUsualBody(exchange, accountId);
  const job = await services.jobs.create({
    ...{ accountId, userId, keyId, endpoint: exchange.route.path, callbackUrl },
    network: callNetwork(exchange, services),
    request: packHeaded(headOf(exchange), body),
    // Repeated under the same idempotency key, the request is the same job.
    generationId: exchange.resumed?.generationId ?? null,
  });
  if (job === null) {
    throw new ApiError('http_429', 'This account has as many jobs as it may. Wait for some to end, or delete some.', {
      retryAfterSeconds: FULL_RETRY_SECONDS,
    });
  }
  const headers = ['Preference-Applied', 'respond-async', 'Location', `/v1/jobs/${job.id}`];
  sendJson(exchange, 202, renderJob(job, services.siteUrl()), [...headers, 'Retry-After', RETRY_AFTER_SECONDS]);
}

function headOf({ request, queryText }: Exchange): JobHead {
  const kept = Object.entries(request.headers).filter(([name]) => !OWN.has(name));
  return { headers: Object.fromEntries(kept), queryText };
}

async function readCallback({ request }: Exchange, services: LaterServices): Promise<string | null> {
  const url = request.headers[CALLBACK];
  if (url === undefined) return null;
  if (typeof url !== 'string' || url.length > CALLBACK_LENGTH_MAX) throw badCallback('it is too long');
  try {
    return (await services.outbound.checkUrl(url, services.callbackPurpose)).href;
  } catch (error) {
    if (error instanceof ForbiddenUrlError || error instanceof OutboundError) throw badCallback(error.message);
    throw error;
  }
}

const badCallback = (problem: string): ApiError =>
  new ApiError('http_400', `X-Tollgate-Callback cannot be called: ${problem}.`);

// A job as its owner sees it, in answers and in callbacks. The answer itself is asked for at `result_url`.

const secondsOf = (moment: Date): number => Math.floor(moment.getTime() / 1_000);
/** How long a result can be had. */
const KEPT_SECONDS = 24 * 3_600;

export function renderJob(job: Job, siteUrl: string): Shape<typeof JobObject> {
  const { id, status, endpoint, createdAt, endedAt, expiresAt, generationId } = job;
  return {
    id,
    object: 'job',
    status: status === 'running' ? 'in_progress' : status,
    endpoint,
    generation_id: generationId,
    created_at: secondsOf(createdAt),
    ended_at: endedAt === null ? null : secondsOf(endedAt),
    expires_at: endedAt === null ? secondsOf(expiresAt) : secondsOf(endedAt) + KEPT_SECONDS,
    result_url: `${siteUrl}/v1/jobs/${id}/result`,
  };
}

export const renderJobCallback = (job: Job, siteUrl: string): Record<string, unknown> => ({
  type: `job.${job.status}`,
  timestamp: (job.endedAt ?? job.createdAt).toISOString(),
  data: renderJob(job, siteUrl),
});
