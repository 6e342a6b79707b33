// Fetches pictures that a caller names by their address, for providers that do not fetch addresses, or not ours, and
// writes them into the body. They are fetched once for a call, after its money is held, and only when a provider that
// needs them is about to be asked.

import type { EmbeddedMedia, MediaSource, Message } from '../../canonical/conversation.ts';
import type { CanonicalRequest } from '../../canonical/operation.ts';
import type { ConversationRequest } from '../../canonical/request.ts';
import { mapAddresses } from '../../dialects/map-addresses.ts';
import { ApiError } from '../../errors/api-error.ts';
import { codecOf } from '../../upstreams/registry.ts';
import type { Call } from '../call.ts';
import type { RoutedCandidate } from '../route.ts';

export type BroughtPictures = ReadonlyMap<string, EmbeddedMedia> | ApiError | null;

export const NO_ADDRESSES: readonly string[] = [];

/** Where pictures that models have made are kept for a while. */
const KEPT = /\/v1\/images\/proxy\/[A-Za-z0-9_-]{40,4096}$/;

type Wanted = 'all' | 'kept' | 'none';

/** Decides which pictures the candidate needs, without reading the body, because nearly no body has any. */
function wantedBy(request: CanonicalRequest, candidate: RoutedCandidate): Wanted {
  if (request.operation !== 'chat') return 'none';
  const codec = codecOf(candidate, request);
  if (codec?.embedsPictures === true) return hasMedia(request) ? 'all' : 'none';
  return codec?.embedsKeptPictures === true && candidate.model.outputModalities.includes('image') ? 'kept' : 'none';
}

const hasMedia = ({ needs }: CanonicalRequest): boolean => needs.imageInput || needs.fileInput || needs.videoInput;

export function addressesFor(request: CanonicalRequest, candidate: RoutedCandidate): readonly string[] {
  const wanted = wantedBy(request, candidate);
  if (wanted === 'none') return NO_ADDRESSES;
  const urls: string[] = [];
  mapAddresses(request.body, (url, kind) => {
    if (wanted === 'all' ? kind === 'image' : KEPT.test(url)) urls.push(url);
    return null;
  });
  return urls;
}

/** A picture that cannot be fetched is an error for the caller only when no other candidate can be asked. */
export function bringPictures(fetching: Promise<ReadonlyMap<string, EmbeddedMedia>>): Promise<BroughtPictures> {
  return fetching.catch((error: unknown) => {
    if (error instanceof ApiError) return error;
    throw error;
  });
}

/**
 * Throws the error for the caller where a picture cannot be fetched, or where what lies at the address is not a
 * picture.
 */
export function withPictures(call: Call, candidate: RoutedCandidate, pictures: BroughtPictures): Call {
  const { request } = call;
  if (request.operation !== 'chat') return call;
  const wanted = wantedBy(request, candidate);
  if (wanted === 'none') return call;
  if (wanted === 'kept') return pictures === null ? call : { ...call, request: withKept(request, pictures) };
  const body = mapAddresses(request.body, (url, kind) => {
    // A picture that a model has made goes back to that model's provider only.
    if (kind === 'made') return null;
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

/** A protocol that keeps addresses writes the conversation anew in any case, so the body stays as it is. */
function withKept(request: ConversationRequest, pictures: Exclude<BroughtPictures, null>): ConversationRequest {
  if (pictures instanceof ApiError) throw pictures;
  const embedded = <Part extends object>(part: Part): Part => {
    const source = 'source' in part ? (part.source as MediaSource) : null;
    const media = source?.kind === 'url' ? pictures.get(source.url) : undefined;
    return media === undefined ? part : { ...part, source: media };
  };
  const withSources = (message: Message): Message => {
    if (message.role === 'user') return { ...message, parts: message.parts.map(embedded) };
    if (message.role !== 'assistant' || message.pictures === undefined) return message;
    return { ...message, pictures: message.pictures.map(embedded) };
  };
  const { toConversation } = request;
  return {
    ...request,
    toConversation() {
      const conversation = toConversation();
      return { ...conversation, messages: conversation.messages.map(withSources) };
    },
  };
}
