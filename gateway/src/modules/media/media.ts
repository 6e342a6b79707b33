// Pictures that upstreams made: checks each, stores it, and serves it for an hour to anybody with its address. Only
// known kinds of picture are served.

import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ImageKeeper, MadeImage, ShownImage } from '../../canonical/images.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { open, type SealingKey, seal } from '../../platform/crypto.ts';
import { createSharedGate } from '../../platform/gate.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { ForbiddenUrlError, OutboundError } from '../../platform/outbound/outbound-error.ts';
import { ACCEPT_RASTER, RASTER_TYPES, type RasterType, wholeRasterTypeOf } from '../../platform/raster-image.ts';
import { digestIn, isMediaName, isNameOf, type MediaStore, mediaNameOf } from './media-store.ts';

/** Specification, Events: an hour. */
const LIFETIME_MS = 3_600_000;
/** Clocks differ, and a client may still be reading a picture. */
const SWEEP_SLACK_MS = 300_000;
/** Matches under any host name of the gateway, because the token itself is the proof. */
const KEPT = /\/v1\/images\/proxy\/([A-Za-z0-9_-]+)$/;
/** A longer upstream address does not fit into ours, so it is not kept. */
const URL_BYTES_MAX = 2_000;

/** A picture to serve. Its body must be read to the end or destroyed; null where only its size was asked for. */
export type FoundImage = Readonly<{
  type: RasterType;
  byteLength: number;
  digest: string;
  expiresAtMs: number;
  body: Readable | null;
}>;

export type Media = ImageKeeper &
  Readonly<{
    /** Null for an address that was never given out, has expired, or whose picture is gone. */
    find(token: string, withBody: boolean): Promise<FoundImage | null>;
    /** The picture at an address of ours; null for any other address, and for one whose picture is gone. */
    bring(url: string): Promise<Buffer | null>;
    /** Removes pictures whose addresses have all expired; answers how many. */
    sweep(): Promise<number>;
  }>;

type MediaOptions = Readonly<{
  store: MediaStore;
  outbound: Pick<Outbound, 'request'>;
  sealingKey: SealingKey;
  siteUrl(): string;
  clock: Clock;
  logger: Logger;
}>;

type Context = MediaOptions & Readonly<{ fetchImage: FetchImage }>;

type Picture = Readonly<{ bytes: Buffer; type: RasterType; upstreamUrl: string | null }>;

export function createMedia(options: MediaOptions): Media {
  const { store, outbound, clock, logger } = options;
  const context = { ...options, fetchImage: createImageFetcher(outbound, logger) };
  return {
    keep: (made, owner) => keep(made, owner, context),
    load: async (made) => {
      const picture = await lookAt(made, context);
      return picture === null ? null : shownOf(picture, null);
    },
    find: (token, withBody) => find(token, withBody, context),
    bring: async (url) => {
      const token = KEPT.exec(url)?.[1];
      const found = token === undefined ? null : await find(token, true, context);
      return found === null || found.body === null ? null : buffer(found.body);
    },
    sweep: () => store.sweep(clock.nowMs() - LIFETIME_MS - SWEEP_SLACK_MS),
  };
}

async function lookAt(made: MadeImage, { fetchImage, logger }: Context): Promise<Picture | null> {
  const bytes = made.kind === 'bytes' ? made.bytes : await fetchImage(made.url);
  if (bytes === null) return null;
  const type = bytes.length <= IMAGE_BYTES_MAX ? wholeRasterTypeOf(bytes) : null;
  if (type === null) {
    logger.warn({ bytes: bytes.length }, 'an upstream sent a picture that cannot be read');
    return null;
  }
  return { bytes, type, upstreamUrl: made.kind === 'url' ? made.url : null };
}

function shownOf({ bytes, type, upstreamUrl }: Picture, url: string | null): ShownImage {
  return { url, upstreamUrl, bytes: url === null ? bytes : null, mediaType: type };
}

async function keep(made: MadeImage, owner: string, context: Context): Promise<ShownImage | null> {
  const picture = await lookAt(made, context);
  if (picture === null) return null;
  const { bytes, type, upstreamUrl } = picture;
  const name = mediaNameOf(bytes, owner);
  const url = upstreamUrl !== null && Buffer.byteLength(upstreamUrl) <= URL_BYTES_MAX ? upstreamUrl : null;
  await putAway(name, bytes, url, context);
  const { clock, sealingKey, siteUrl } = context;
  const token = sealImageToken(sealingKey, { name, type, url, expiresAtMs: clock.nowMs() + LIFETIME_MS });
  return shownOf(picture, `${siteUrl()}/v1/images/proxy/${token}`);
}

/** When a picture cannot be stored but the upstream has it too, it can be fetched from there later. */
async function putAway(name: string, bytes: Buffer, url: string | null, { store, logger }: Context): Promise<void> {
  try {
    await store.put(name, bytes);
  } catch (cause) {
    logger.error({ error: asError(cause) }, 'a picture could not be stored');
    if (url === null)
      throw new ApiError('pipeline_error', 'The image that was made could not be stored. Try again.', { cause });
  }
}

async function find(token: string, withBody: boolean, context: Context): Promise<FoundImage | null> {
  const { sealingKey, clock } = context;
  const image = openImageToken(sealingKey, token, clock.nowMs());
  if (image === null) return null;
  const { name, type, expiresAtMs } = image;
  const found = (await fromStore(name, withBody, context)) ?? (await fromUpstream(image, withBody, context));
  return found === null ? null : { type, digest: digestIn(name), expiresAtMs, ...found };
}

type FoundBytes = Pick<FoundImage, 'byteLength' | 'body'>;

async function fromStore(name: string, withBody: boolean, { store, logger }: Context): Promise<FoundBytes | null> {
  try {
    if (withBody) return await store.open(name);
    const found = await store.find(name);
    return found === null ? null : { ...found, body: null };
  } catch (error) {
    logger.error({ error: asError(error) }, 'a stored picture could not be read');
    return null;
  }
}

/** It must still be the same picture, because the file at a stranger's address may have changed. */
async function fromUpstream(
  { name, url }: ImageToken,
  withBody: boolean,
  context: Context,
): Promise<FoundBytes | null> {
  if (url === null) return null;
  const picture = await lookAt({ kind: 'url', url }, context);
  if (picture === null || !isNameOf(name, picture.bytes)) {
    throw new ApiError('pipeline_error', 'The image cannot be fetched from its provider any more. Ask for a new one.');
  }
  const { bytes } = picture;
  // Most pictures are fetched more than once, so it is stored again.
  await putAway(name, bytes, url, context);
  return { byteLength: bytes.length, body: withBody ? Readable.from([bytes]) : null };
}

// Fetches a picture from the address that an upstream gave. The address is a stranger's, so the guarded client fetches
// it, a few at a time, bounded in time and size; the bytes are not trusted until they have been checked.

const IMAGE_BYTES_MAX = 25 * 1024 * 1024;

const TIMEOUT_MS = 20_000;
const REDIRECTS_MAX = 3;
/** Pictures are large, and are in memory while they are fetched. */
const AT_ONCE_MAX = 12;
const OF_SITE_MAX = 8;

/** Null when it cannot be fetched; the log says why, without the address, which may be a secret. */
type FetchImage = (url: string) => Promise<Buffer | null>;

function createImageFetcher(outbound: Pick<Outbound, 'request'>, logger: Logger): FetchImage {
  const gate = createSharedGate({ atOnceMax: AT_ONCE_MAX, ofOwnerMax: OF_SITE_MAX });
  return (url) => gate(siteOf(url), () => fetchImage(url, outbound, logger));
}

/**
 * The addresses of an organization's own upstream are the organization's, which may hang; names below one name belong
 * together.
 */
function siteOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return isIP(host) === 0 ? host.split('.').slice(-2).join('.') : host;
}

async function fetchImage(url: string, outbound: Pick<Outbound, 'request'>, logger: Logger): Promise<Buffer | null> {
  try {
    const { status, body } = await outbound.request({
      url,
      purpose: { allowHttp: true, allowHighPorts: true },
      headers: ACCEPT_RASTER,
      timeoutMs: TIMEOUT_MS,
      responseBytesMax: IMAGE_BYTES_MAX,
      redirectsMax: REDIRECTS_MAX,
    });
    if (status === 200) return body;
    logger.warn({ status }, 'a picture was not where the upstream said');
    return null;
  } catch (error) {
    if (!(error instanceof ForbiddenUrlError || error instanceof OutboundError)) throw error;
    logger.warn({ reason: error.message }, 'a picture could not be fetched');
    return null;
  }
}

// The content of a picture's address: which picture it is, until when, and where the upstream has it, sealed so that
// nobody can read, change or extend it. The picture's digest is inside, so an address never leads to another picture.

export type ImageToken = Readonly<{
  /** What it is stored by. */
  name: string;
  type: RasterType;
  /** The upstream's own address, for when our copy is gone; null where there was none. */
  url: string | null;
  expiresAtMs: number;
}>;

const PURPOSE = 'image-proxy';
const SEALED_PREFIX = 'sealed:1:';
const TOKEN = /^[A-Za-z0-9_-]{40,4096}$/;

export function sealImageToken(key: SealingKey, { name, type, url, expiresAtMs }: ImageToken): string {
  const fields = [name, RASTER_TYPES.indexOf(type), expiresAtMs, ...(url === null ? [] : [url])];
  return seal(key, JSON.stringify(fields), PURPOSE).slice(SEALED_PREFIX.length);
}

/** Null for a token that we did not seal exactly so, or whose time is over. */
export function openImageToken(key: SealingKey, token: string, nowMs: number): ImageToken | null {
  // Base64 has several spellings for the same bytes; only the one that was given out is accepted.
  if (!TOKEN.test(token) || Buffer.from(token, 'base64url').toString('base64url') !== token) return null;
  const text = open(key, SEALED_PREFIX + token, PURPOSE);
  if (text === null) return null;
  const image = readFields(JSON.parse(text));
  return image !== null && nowMs < image.expiresAtMs ? image : null;
}

/** Sealed by us, but perhaps by another version. */
function readFields(fields: unknown): ImageToken | null {
  if (!Array.isArray(fields)) return null;
  const [name, typeIndex, expiresAtMs, url = null] = fields as readonly unknown[];
  const type = typeof typeIndex === 'number' ? RASTER_TYPES[typeIndex] : undefined;
  if (typeof name !== 'string' || !isMediaName(name) || type === undefined) return null;
  if (typeof expiresAtMs !== 'number' || (url !== null && typeof url !== 'string')) return null;
  return { name, type, url, expiresAtMs };
}
