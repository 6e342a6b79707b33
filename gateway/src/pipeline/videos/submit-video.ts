// The journey of a video order. It shares its stages with every other call up to the reservation, and then has an end
// of its own: the answer is a job, and the job is finished later, by whichever process looks after it
// (advance-video.ts).

import type { Resolution } from '../../canonical/model.ts';
import { NO_CAPS } from '../../canonical/spend-cap.ts';
import type { VideoRequest } from '../../canonical/video.ts';
import type { VideoJob } from '../../canonical/video-job.ts';
import { videoDialect } from '../../dialects/video/video-dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { assert } from '../../platform/assert.ts';
import { capsFor, refuseRestricted } from '../admit.ts';
import { authenticate } from '../authenticate.ts';
import { authorize } from '../authorize.ts';
import { type Call, openCall } from '../call.ts';
import { CallReviews } from '../call-reviews.ts';
import { guard } from '../guard.ts';
import { limitRate } from '../limit-rate.ts';
import { inOwnWords, type OwnCandidates, ownCandidates } from '../own-upstream.ts';
import { readSubmission } from '../read-submission.ts';
import { resolve } from '../resolve.ts';
import { type RoutedCandidate, type RouteInput, route, type Selection } from '../route.ts';
import { checkMedia, type MediaServices } from './check-media.ts';
import { checkVideo, type FittedVideo, fitVideo } from './fit-video.ts';
import { type LegOutcome, type SubmitServices, submitLeg } from './submit-leg.ts';

export type VideoServices = SubmitServices & MediaServices;

export async function submitVideo(exchange: Exchange, services: VideoServices): Promise<VideoJob> {
  const { clock } = services;
  const caller = await authenticate(exchange, services);
  await limitRate(exchange, caller, services);
  refuseRestricted(caller, services);
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
  return order({ call, fitted, resolution }, services);
}

function asVideo(request: Awaited<ReturnType<typeof guard>>): VideoRequest {
  assert(request.operation === 'video', 'a reviewer returns a request of the same operation');
  return request;
}

type Order = Readonly<{ call: Call; fitted: FittedVideo; resolution: Resolution }>;

/** The organization's own upstream first, for nothing; the platform at its price only if nobody has the job then. */
async function order({ call, fitted, resolution }: Order, services: VideoServices): Promise<VideoJob> {
  const { caller } = call;
  const { request } = fitted;
  const upstreams = await services.byok.upstreamsOf(caller.accountId);
  const own = ownCandidates(resolution.primary, { request, caller, upstreams }, services);
  const first = own === null ? null : await askOwn(own, call, fitted, services);
  if (first?.kind === 'ordered') return first.job;
  const ownError = first === null ? null : inOwnWords(first.error);
  if (ownError !== null && own?.isStrict) throw ownError;
  const { candidates, firstChoice } = routeOr(ownError, { request, resolution, caller }, services);
  const outcome = await submitLeg(
    {
      ...{ call, fitted },
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

/** Where nobody else could be asked, what the own upstream said is what there is to say. */
function routeOr(ownError: Error | null, input: RouteInput, services: VideoServices): Selection {
  try {
    return route(input, services);
  } catch (refusal) {
    throw refusal instanceof ApiError && ownError !== null ? ownError : refusal;
  }
}

async function askOwn(
  { candidates, firstChoice }: OwnCandidates,
  call: Call,
  fitted: FittedVideo,
  services: VideoServices,
): Promise<LegOutcome | null> {
  if (candidates.length === 0) return null;
  const leg = { call, fitted, candidates: atLeastOne(candidates), firstChoice, caps: NO_CAPS, earlierAttempts: [] };
  return submitLeg(leg, services);
}

function atLeastOne(candidates: readonly RoutedCandidate[]): readonly [RoutedCandidate, ...RoutedCandidate[]] {
  const [first, ...others] = candidates;
  assert(first !== undefined, 'a selection has at least one candidate');
  return [first, ...others];
}
