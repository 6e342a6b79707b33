// Pictures that a caller names by their address, for providers that follow none: which a candidate needs, and the call
// with what lies there written into its body. They are fetched once for a call, after its money is held, and only when a
// provider that needs them is about to be asked.

import type { EmbeddedMedia } from '../canonical/conversation.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { mapAddresses } from '../dialects/map-addresses.ts';
import { ApiError } from '../errors/api-error.ts';
import { codecOf } from '../upstreams/registry.ts';
import type { Call } from './call.ts';
import type { RoutedCandidate } from './route.ts';

export type BroughtPictures = ReadonlyMap<string, EmbeddedMedia> | ApiError | null;

export const NO_ADDRESSES: readonly string[] = [];

/** Empty for nearly every call, without a look at its body. */
export function addressesFor(request: CanonicalRequest, candidate: RoutedCandidate): readonly string[] {
  if (request.operation !== 'chat' || !request.needs.imageInput) return NO_ADDRESSES;
  if (codecOf(candidate, request)?.embedsPictures !== true) return NO_ADDRESSES;
  const urls: string[] = [];
  mapAddresses(request.body, (url, kind) => {
    if (kind === 'image') urls.push(url);
    return null;
  });
  return urls;
}

/** What keeps a picture from being had is told only where nobody else can be asked. */
export function bringPictures(fetching: Promise<ReadonlyMap<string, EmbeddedMedia>>): Promise<BroughtPictures> {
  return fetching.catch((error: unknown) => {
    if (error instanceof ApiError) return error;
    throw error;
  });
}

/** Throws what the caller should hear of where something cannot be had, or lies at an address and is no picture. */
export function withPictures(call: Call, candidate: RoutedCandidate, pictures: BroughtPictures): Call {
  const { request } = call;
  if (request.operation !== 'chat') return call;
  const { imageInput, fileInput, videoInput } = request.needs;
  if (!imageInput && !fileInput && !videoInput) return call;
  if (codecOf(candidate, request)?.embedsPictures !== true) return call;
  const body = mapAddresses(request.body, (url, kind) => {
    if (kind !== 'image') {
      const message = `The provider of this model takes ${kind}s as data alone, not by their address.`;
      throw new ApiError('invalid_modality_for_model', message);
    }
    if (pictures instanceof ApiError) throw pictures;
    return pictures?.get(url) ?? null;
  });
  if (body === request.body) return call;
  return {
    ...call,
    request: { ...request, body, toConversation: () => request.withBody(body).toConversation() },
  };
}
