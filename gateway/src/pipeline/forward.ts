// Decides what a provider gets to see of a call. Under the platform's keys all callers share one account at the
// provider and pay by the catalog, so fields that name something in that account, or that cost more than the catalog
// says, are not sent. An organization's own upstream gets everything.

import { withExtras } from '../canonical/extras.ts';
import type { Candidate, Model } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { NO_PRICES, type PriceSchedule } from '../canonical/price.ts';
import { type ConversationRequest, type Inspection, PLAIN } from '../canonical/request.ts';
import { forwardBody, forwardObject } from '../dialects/forwarding/forward-body.ts';
import { forwardHeaders } from '../dialects/forwarding/forward-headers.ts';
import { inspectBody } from '../dialects/forwarding/inspect.ts';
import { passesPlugin } from '../dialects/forwarding/policy.ts';
import { type ForwardTerms, termsOf } from '../dialects/forwarding/terms.ts';
import { withoutThinking } from '../dialects/forwarding/thinking.ts';
import { mapImageSize } from '../upstreams/image-size.ts';
import type { Call } from './call.ts';
import { withOnline } from './money/hosted-tools.ts';

/**
 * Gives the pseudonym that is sent to providers in place of a caller's value: the same for the same account, another
 * one for every other account.
 */
export type Pseudonyms = (accountId: string, name: string, value: string) => string;

export type InspectedCandidate = Candidate &
  Readonly<{
    isOnline: boolean;
    /** Fields of the request that not every provider may get. */
    inspection: Inspection;
  }>;

/** Throws for fields that no provider may get. A video is ordered in the gateway's own words, so it has none. */
export function inspect({ operation, body, format }: CanonicalRequest): Inspection {
  return operation === 'video' ? PLAIN : inspectBody(body, format);
}

/** What the call costs at a route, with the extras that are sent there. */
export function pricesFor(
  request: CanonicalRequest,
  extras: readonly string[],
  { model, prices }: Readonly<{ model: Model; prices: PriceSchedule }>,
): PriceSchedule {
  const size = request.operation === 'images' ? sizeExtra(request.size, model) : null;
  return withExtras(prices, size === null ? extras : [...extras, size]);
}

/** The call as this candidate gets it; its limits have been applied before. */
export function forward(call: Call, candidate: InspectedCandidate, pseudonyms: Pseudonyms): Call {
  const { forwardedHeaders, caller } = call;
  const request = call.request.operation === 'chat' ? withOnline(call.request, candidate) : call.request;
  if (candidate.own !== undefined) return withRequest(call, request);
  if (isPlain(request, candidate) && forwardedHeaders.length === 0) return withRequest(call, request);
  const { prices } = candidate;
  const hash = (name: string, value: string): string => pseudonyms(caller.accountId, name, value);
  const terms = termsOf(prices, prices === NO_PRICES, hash);
  const sent = withRequest(call, forwardRequest(request, candidate, terms));
  return forwardedHeaders.length === 0 ? sent : { ...sent, forwardedHeaders: forwardHeaders(forwardedHeaders, terms) };
}

const withRequest = (call: Call, request: CanonicalRequest): Call =>
  request === call.request ? call : { ...call, request };

/** Every provider gets the same request, as is so in most calls. */
function isPlain(request: CanonicalRequest, candidate: InspectedCandidate): boolean {
  if (!candidate.inspection.isPlain) return false;
  if (request.operation === 'images') return request.size === null;
  return request.operation !== 'chat' || (request.plugins.length === 0 && mayThink(request, candidate));
}

/** Thinking that the candidate's price does not cover is not asked for by another field either. */
const mayThink = ({ isThinkingEnabled }: ConversationRequest, { model }: InspectedCandidate): boolean =>
  !model.traits.isThinkingOptIn || isThinkingEnabled;

function forwardRequest(
  request: CanonicalRequest,
  candidate: InspectedCandidate,
  terms: ForwardTerms,
): CanonicalRequest {
  if (request.operation === 'chat') return withPlugins(forwardConversation(request, candidate, terms), terms);
  const sent = { ...request, body: forwardBody(request.body, request.format, terms) };
  if (sent.operation !== 'images') return sent;
  const extra = sizeExtra(sent.size, candidate.model);
  const isSent = extra === null || isOrdinarySize(extra, candidate.model) || terms.offers(extra, true);
  return isSent ? sent : { ...sent, size: null };
}

function forwardConversation(
  request: ConversationRequest,
  candidate: InspectedCandidate,
  terms: ForwardTerms,
): ConversationRequest {
  const forwarded = forwardBody(request.body, request.format, terms);
  const body = mayThink(request, candidate) ? forwarded : withoutThinking(forwarded);
  if (body === request.body) return request;
  return { ...request, body, toConversation: () => request.withBody(body).toConversation() };
}

function withPlugins(request: ConversationRequest, terms: ForwardTerms): ConversationRequest {
  const { plugins } = request;
  if (plugins.length === 0) return request;
  const kept = plugins.filter(({ id }) => passesPlugin(id, terms));
  return { ...request, plugins: kept.map((plugin) => forwardObject(plugin, terms)) };
}

// The size of a picture as something that can have a price. A size that the catalog lists for a model is offered at the
// ordinary price unless another is stated, and so is one no larger than most pictures are.

const PREFIX = 'size=';
/** As many pixels as the ordinary picture has. */
const ORDINARY_PIXELS = 1_024 * 1_024;
const SIDES = /^(\d{1,5})x(\d{1,5})$/;

/** The extra of the size that the model would be asked for; null where that is left to it. */
function sizeExtra(wish: string | null, { image }: Model): string | null {
  const size = mapImageSize(wish, image?.sizes ?? []);
  return size === undefined ? null : `${PREFIX}${size}`;
}

function isOrdinarySize(extra: string, { image }: Model): boolean {
  const size = extra.slice(PREFIX.length);
  if (size === 'auto' || image?.sizes.includes(size) === true) return true;
  const [, width, height] = SIDES.exec(size) ?? [];
  return width !== undefined && Number(width) * Number(height) <= ORDINARY_PIXELS;
}
