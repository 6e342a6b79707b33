// The journey of a video order. It shares its stages with every other call up to the reservation, and then has an end
// of its own: the answer is a job, and the job is finished later, by whichever process looks after it
// (advance-video.ts).

import type { Caller } from '../../canonical/caller.ts';
import type { Resolution } from '../../canonical/model.ts';
import { NO_CAPS } from '../../canonical/spend-cap.ts';
import type { VideoRequest } from '../../canonical/video.ts';
import type { VideoJob } from '../../canonical/video-job.ts';
import { videoDialect } from '../../dialects/video/video-dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { findLength } from '../../modules/videos/mp4-length.ts';
import { assert } from '../../platform/assert.ts';
import { videoJobIdOf } from '../../platform/ids.ts';
import type { AddressPurpose, Outbound, OutboundAnswer } from '../../platform/outbound/outbound.ts';
import { ForbiddenUrlError, OutboundError } from '../../platform/outbound/outbound-error.ts';
import { capsFor, refuseRestricted } from '../admit.ts';
import { authenticate } from '../authenticate.ts';
import { authorize } from '../authorize.ts';
import { type Call, CallReviews, openCall } from '../call.ts';
import { guard } from '../guard.ts';
import { limitRate } from '../limit-rate.ts';
import { inOwnWords, type OwnCandidates, ownCandidates } from '../own-upstream.ts';
import { readSubmission } from '../read-submission.ts';
import { resolve } from '../resolve.ts';
import { type RoutedCandidate, type RouteInput, route, type Selection } from '../route.ts';
import { checkVideo, type FittedVideo, fitVideo } from './fit-video.ts';
import { type LegOutcome, type SubmitServices, submitLeg } from './submit-leg.ts';

export type VideoServices = SubmitServices & MediaServices;

export async function submitVideo(exchange: Exchange, services: VideoServices): Promise<VideoJob> {
  const { clock } = services;
  const caller = await authenticate(exchange, services);
  await limitRate(exchange, caller, services);
  refuseRestricted(caller, services);
  const jobId = exchange.resumed === undefined ? null : videoJobIdOf(exchange.resumed.generationId);
  const known = await findOrdered(jobId, caller, services);
  if (known !== null) return known;
  const parsed = videoDialect.read(await readSubmission(exchange, videoDialect.intake, caller, services.uploads));
  const named = resolve(parsed, services, clock.nowMs());
  const resolution = authorize(parsed, named, caller);
  const { model } = resolution.primary;
  checkVideo(parsed, model);
  const reviews = new CallReviews();
  const reviewed = asVideo(await guard(parsed, caller, services.reviewers, reviews));
  const fitted = fitVideo(reviewed, model, await checkMedia(reviewed, services));
  const call = openCall(
    exchange,
    {
      caller,
      request: fitted.request,
      dialect: videoDialect,
      resolution: { auto: null },
      trace: null,
      quota: null,
      review: null,
      reviews,
    },
    services,
  );
  // A client that left meanwhile would not learn of the job, and would pay for it.
  if (exchange.response.destroyed) throw new ApiError('http_400', 'The client has left before the video was ordered.');
  try {
    return await order({ jobId, call, fitted, resolution }, services);
  } catch (error) {
    const ordered = await findOrdered(jobId, caller, services);
    if (ordered === null) throw error;
    return ordered;
  }
}

/**
 * The job that the same call has ordered before, in a process that died or lost the database before it could answer. A
 * second order would be a second video.
 */
async function findOrdered(
  jobId: string | null,
  { accountId, userId }: Caller,
  { videos }: VideoServices,
): Promise<VideoJob | null> {
  return jobId === null ? null : videos.find({ accountId, userId }, jobId);
}

function asVideo(request: Awaited<ReturnType<typeof guard>>): VideoRequest {
  assert(request.operation === 'video', 'a reviewer returns a request of the same operation');
  return request;
}

type Order = Readonly<{ jobId: string | null; call: Call; fitted: FittedVideo; resolution: Resolution }>;

/**
 * The organization's own upstream is asked first, at no price; the platform at its price only if none of those took the
 * job.
 */
async function order({ jobId, call, fitted, resolution }: Order, services: VideoServices): Promise<VideoJob> {
  const { caller } = call;
  const { request } = fitted;
  const upstreams = await services.byok.upstreamsOf(caller.accountId);
  const own = ownCandidates(resolution.primary, { request, caller, upstreams }, services);
  const first = own === null ? null : await askOwn(own, { jobId, call, fitted }, services);
  if (first?.kind === 'ordered') return first.job;
  const ownError = first === null ? null : inOwnWords(first.error);
  if (ownError !== null && own?.isStrict) throw ownError;
  const { candidates, firstChoice } = routeOr(ownError, { request, resolution, caller }, services);
  const outcome = await submitLeg(
    {
      ...{ jobId, call, fitted },
      candidates: atLeastOne(candidates),
      firstChoice: own?.firstChoice ?? firstChoice,
      caps: capsFor(caller, services),
      earlierAttempts: first?.attempts ?? [],
    },
    services,
  );
  if (outcome.kind === 'refused') throw outcome.error;
  return outcome.job;
}

/** Where the platform has no route, the client gets the error of its own upstream. */
function routeOr(ownError: Error | null, input: RouteInput, services: VideoServices): Selection {
  try {
    return route(input, services);
  } catch (refusal) {
    throw refusal instanceof ApiError && ownError !== null ? ownError : refusal;
  }
}

async function askOwn(
  { candidates, firstChoice }: OwnCandidates,
  ordered: Omit<Order, 'resolution'>,
  services: VideoServices,
): Promise<LegOutcome | null> {
  if (candidates.length === 0) return null;
  const { caller } = ordered.call;
  await services.ownCalls.admit(caller);
  const leg = { ...ordered, candidates: atLeastOne(candidates), firstChoice, caps: NO_CAPS, earlierAttempts: [] };
  const outcome = await submitLeg(leg, services);
  if (outcome.kind === 'ordered') services.ownCalls.note(caller);
  return outcome;
}

function atLeastOne(candidates: readonly RoutedCandidate[]): readonly [RoutedCandidate, ...RoutedCandidate[]] {
  const [first, ...others] = candidates;
  assert(first !== undefined, 'a selection has at least one candidate');
  return [first, ...others];
}

// Looks at the addresses in an order before it costs anything: each must be public and have something at it. A video
// that is edited is charged by its length, so the length is read from the file itself.

type MediaServices = Readonly<{
  outbound: Pick<Outbound, 'checkUrl' | 'request'>;
  /** What the address of a callback may look like. */
  callbackPurpose: AddressPurpose;
}>;

const PURPOSE: AddressPurpose = { allowHttp: true, allowHighPorts: true };
const TIMEOUT_MS = 10_000;
const REDIRECTS_MAX = 3;
/** As many bytes as show that there is something at the address. */
const IMAGE_BYTES_MAX = 262_144;
/** How much is read of a video whose server does not send parts. */
const VIDEO_BYTES_MAX = 4_194_304;
const VIDEO_PART_BYTES = 262_144;
const VIDEO_LOOKS_MAX = 6;
const SOURCE_MS_MAX = 600_000;

/** Resolves with the length of the source video, null where there is none. Throws a 400 that names the field. */
async function checkMedia(request: VideoRequest, services: MediaServices): Promise<number | null> {
  await checkCallback(request, services);
  const { firstFrame, lastFrame, references, inputVideoUrl } = request;
  const images = [firstFrame, lastFrame, ...references].flatMap((image) => (image?.kind === 'url' ? [image] : []));
  await Promise.all(images.map(({ url, path }) => checkImage(url, path, services)));
  return inputVideoUrl === null ? null : readLength(inputVideoUrl, services);
}

async function checkCallback({ callbackUrl }: VideoRequest, services: MediaServices): Promise<void> {
  if (callbackUrl === null) return;
  const { outbound, callbackPurpose } = services;
  await explain('callback_url', () => outbound.checkUrl(callbackUrl, callbackPurpose));
}

function checkImage(url: string, path: string, services: MediaServices): Promise<void> {
  return explain(path, async () => {
    assertThere(await ask(url, 'bytes=0-1023', IMAGE_BYTES_MAX, services), path);
  });
}

function readLength(url: string, services: MediaServices): Promise<number> {
  const path = 'input_video';
  return explain(path, async () => {
    let offset = 0;
    for (let looks = 0; looks < VIDEO_LOOKS_MAX; looks += 1) {
      const range = `bytes=${offset}-${offset + VIDEO_PART_BYTES - 1}`;
      const answer = await ask(url, range, VIDEO_BYTES_MAX, services);
      assertThere(answer, path);
      // A server that ignores the range sends the file from its beginning.
      const isWhole = answer?.status !== 206;
      const search = answer === null ? null : findLength(answer.body, isWhole ? 0 : offset);
      if (search?.kind === 'found') return withinLimit(search.durationMs);
      if (search === null || isWhole || search.offset <= offset) break;
      offset = search.offset;
    }
    throw new ApiError('http_400', `${path}: its length cannot be read. Give an MP4 or MOV file.`);
  });
}

function withinLimit(sourceMs: number): number {
  if (sourceMs <= SOURCE_MS_MAX) return sourceMs;
  throw new ApiError('http_400', `input_video must not be longer than ${SOURCE_MS_MAX / 1_000} seconds.`);
}

/** Null when more bytes came than were asked for, which shows that there is something. */
async function ask(
  url: string,
  range: string,
  responseBytesMax: number,
  { outbound }: MediaServices,
): Promise<OutboundAnswer | null> {
  const limits = { timeoutMs: TIMEOUT_MS, responseBytesMax, redirectsMax: REDIRECTS_MAX };
  try {
    return await outbound.request({ url, purpose: PURPOSE, range, ...limits });
  } catch (error) {
    if (error instanceof OutboundError && error.kind === 'oversize') return null;
    throw error;
  }
}

function assertThere(answer: OutboundAnswer | null, path: string): void {
  if (answer === null || (answer.status >= 200 && answer.status <= 299)) return;
  const { status } = answer;
  const words = status === 401 || status === 403 ? 'needs a sign-in' : `answers with the status ${status}`;
  throw new ApiError('http_400', `${path}: this URL ${words}. It must be public.`);
}

async function explain<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ForbiddenUrlError) throw new ApiError('http_400', `${path} ${error.message}.`);
    if (error instanceof OutboundError) throw new ApiError('http_400', `${path} could not be reached.`);
    throw error;
  }
}
