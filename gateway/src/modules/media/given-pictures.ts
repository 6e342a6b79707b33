// Fetches the pictures that callers name by their address, for providers that take pictures only as data. A short
// request can make the gateway move much data, so a call may bring no more than fits into a body, and an account only
// so much in a minute. The addresses are strangers', so the guarded client fetches them, and the bytes must be those of
// a picture.

import type { EmbeddedMedia } from '../../canonical/conversation.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { createGate, type Gate } from '../../platform/gate.ts';
import type { Outbound, OutboundAnswer } from '../../platform/outbound/outbound.ts';
import { ForbiddenUrlError, OutboundError, type OutboundFailure } from '../../platform/outbound/outbound-error.ts';
import { ACCEPT_RASTER, wholeRasterTypeOf } from '../../platform/raster-image.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import type { Media } from './media.ts';

export type GivenPictures = Readonly<{
  /** By their addresses. Throws an `ApiError` that says which one cannot be fetched, and why. */
  fetch(accountId: string, urls: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, EmbeddedMedia>>;
}>;

type GivenPicturesOptions = Readonly<{
  outbound: Pick<Outbound, 'request'>;
  /** Pictures that the gateway keeps itself need no request. */
  media: Pick<Media, 'bring'>;
  clock: Clock;
}>;

/** As many as the strictest of those providers takes in one call. */
export const PICTURES_MAX = 20;
/** Five megabytes when written in base64, which is what those providers take. */
const PICTURE_BYTES_MAX = 3_932_160;
/** Ten megabytes in base64: a caller who sends pictures inside the request may send no more. */
export const CALL_BYTES_MAX = 7_864_320;
const TIMEOUT_MS = 10_000;
const REDIRECTS_MAX = 3;
const CALL_AT_ONCE_MAX = 4;
const AT_ONCE_MAX = 32;
const WINDOW_MS = 60_000;
export const ACCOUNT_WINDOW_BYTES_MAX = 16 * CALL_BYTES_MAX;
const ACCOUNTS_MAX = 10_000;
const INSTEAD = 'Send it as a base64 data URI.';

type Window = { startedMs: number; bytes: number };

export function createGivenPictures({ outbound, media, clock }: GivenPicturesOptions): GivenPictures {
  const gate = createGate(AT_ONCE_MAX);
  const windows = new RecentMap<Window>({ sizeMax: ACCOUNTS_MAX });
  return {
    async fetch(accountId, urls, signal) {
      if (urls.length > PICTURES_MAX) {
        throw new ApiError('too_many_images', `The provider of this model takes at most ${PICTURES_MAX} images.`);
      }
      const window = windowOf(windows, accountId, clock.monotonicMs());
      if (window.bytes + CALL_BYTES_MAX > ACCOUNT_WINDOW_BYTES_MAX) throw tooMuch(window, clock.monotonicMs());
      window.bytes += CALL_BYTES_MAX;
      const trip: Trip = {
        outbound,
        media,
        gate,
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        bytes: 0,
      };
      try {
        return await fetchAll([...new Set(urls)], trip);
      } finally {
        // Bytes that have come count, whether or not they were of use.
        window.bytes -= Math.max(CALL_BYTES_MAX - trip.bytes, 0);
      }
    },
  };
}

function windowOf(windows: RecentMap<Window>, accountId: string, nowMs: number): Window {
  const known = windows.get(accountId);
  if (known !== undefined && nowMs - known.startedMs < WINDOW_MS) return known;
  const window = { startedMs: nowMs, bytes: 0 };
  windows.set(accountId, window);
  return window;
}

function tooMuch({ startedMs }: Window, nowMs: number): ApiError {
  const message = 'Too many images were fetched from addresses in the last minute. Send them as base64 data URIs.';
  return new ApiError('http_429', message, {
    retryAfterSeconds: Math.ceil((startedMs + WINDOW_MS - nowMs) / 1_000),
  });
}

type Trip = Pick<GivenPicturesOptions, 'outbound' | 'media'> & { gate: Gate; signal: AbortSignal; bytes: number };

async function fetchAll(urls: readonly string[], trip: Trip): Promise<ReadonlyMap<string, EmbeddedMedia>> {
  const pictures = new Map<string, EmbeddedMedia>();
  const own = createGate(CALL_AT_ONCE_MAX);
  let failure: unknown = null;
  await Promise.all(
    urls.map((url, index) =>
      own(async () => {
        // After the first failure no other fetch is begun.
        if (failure !== null) return;
        try {
          pictures.set(url, await trip.gate(() => fetchPicture(url, `Image ${index + 1} of ${urls.length}`, trip)));
        } catch (error) {
          failure ??= error;
        }
      }),
    ),
  );
  if (failure !== null) throw failure;
  return pictures;
}

async function fetchPicture(url: string, name: string, trip: Trip): Promise<EmbeddedMedia> {
  const kept = await trip.media.bring(url);
  const { status, body } = kept === null ? await ask(url, name, trip) : { status: 200, body: kept };
  trip.bytes += body.length;
  if (status !== 200) throw refuse(`${name} cannot be had from its address without signing in. ${INSTEAD}`);
  if (trip.bytes > CALL_BYTES_MAX) throw refuse('The images are larger together than one call may bring.');
  const mediaType = wholeRasterTypeOf(body);
  if (mediaType === null) throw refuse(`${name}: what lies at its address is no PNG, JPEG, WebP or GIF file.`);
  return { kind: 'base64', mediaType, data: body.toString('base64') };
}

const FAILURES: Readonly<Record<OutboundFailure, string>> = {
  unreachable: `could not be reached at its address. ${INSTEAD}`,
  timeout: `did not come from its address in time. ${INSTEAD}`,
  oversize: `is larger than ${PICTURE_BYTES_MAX} bytes, which is what the provider of this model takes.`,
  undecodable: `could not be read from its address. ${INSTEAD}`,
  too_many_redirects: `is redirected too often. ${INSTEAD}`,
};

async function ask(url: string, name: string, trip: Trip): Promise<OutboundAnswer> {
  try {
    return await trip.outbound.request({
      url,
      purpose: { allowHttp: true, allowHighPorts: true },
      headers: ACCEPT_RASTER,
      signal: trip.signal,
      timeoutMs: TIMEOUT_MS,
      responseBytesMax: PICTURE_BYTES_MAX,
      redirectsMax: REDIRECTS_MAX,
    });
  } catch (error) {
    if (error instanceof ForbiddenUrlError) throw refuse(`The address of ${name.toLowerCase()} ${error.message}.`);
    if (!(error instanceof OutboundError)) throw error;
    // It is not known how much of it came, so the most is counted.
    trip.bytes += PICTURE_BYTES_MAX;
    throw refuse(`${name} ${FAILURES[error.kind]}`);
  }
}

const refuse = (message: string): ApiError => new ApiError('invalid_image_url', message);
