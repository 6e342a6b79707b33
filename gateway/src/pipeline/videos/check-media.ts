// Looks at what an order refers to, before it costs anything: an address must be one that anybody may reach, and there
// must be something. A video to be edited is paid for by its length, so that is read from the file itself.

import type { VideoRequest } from '../../canonical/video.ts';
import { ApiError } from '../../errors/api-error.ts';
import { findLength } from '../../modules/videos/mp4-length.ts';
import type { AddressPurpose, Outbound, OutboundAnswer } from '../../platform/outbound/outbound.ts';
import { ForbiddenUrlError, OutboundError } from '../../platform/outbound/outbound-error.ts';

export type MediaServices = Readonly<{
  outbound: Pick<Outbound, 'checkUrl' | 'request'>;
  /** What the address of a callback may look like. */
  callbackPurpose: AddressPurpose;
}>;

const PURPOSE: AddressPurpose = { allowHttp: true, allowHighPorts: true };
const TIMEOUT_MS = 10_000;
const REDIRECTS_MAX = 3;
/** Enough to see that there is something. */
const IMAGE_BYTES_MAX = 262_144;
/** Of a video whose server does not send parts of it. */
const VIDEO_BYTES_MAX = 4_194_304;
const VIDEO_PART_BYTES = 262_144;
const VIDEO_LOOKS_MAX = 6;
const SOURCE_MS_MAX = 600_000;

/** Resolves with the length of the source video, null where there is none. Throws a 400 that names the field. */
export async function checkMedia(request: VideoRequest, services: MediaServices): Promise<number | null> {
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
      // A server that sends all of it, whatever part was asked for, begins at the beginning.
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

/** Null when there was more than was asked for, which is something as well. */
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
  throw new ApiError('http_400', `${path}: nothing can be had from this URL without signing in. It must be public.`);
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
