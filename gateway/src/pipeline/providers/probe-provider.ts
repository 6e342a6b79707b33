// Asks a provider two things before money depends on it: which models it lists, and whether it answers. The question is
// as small as possible, and the operator's account at the vendor pays for it.

import type { Candidate, Provider } from '../../canonical/model.ts';
import { parseChatRequest } from '../../dialects/chat/parse-request.ts';
import { explainRefusal, type Refusal, unreachableRefusal } from '../../upstreams/explain-refusal.ts';
import type { ListedPrices } from '../../upstreams/read-listed-prices.ts';
import { type ListedLine, readListing } from '../../upstreams/read-listing.ts';
import { authorizationOf, codecOf, protocolOf } from '../../upstreams/registry.ts';
import { type Transport, type TransportCall, WholeReceiver } from '../../upstreams/transport/receiver.ts';

export type ProbeServices = Readonly<{ transport: Pick<Transport, 'send'> }>;

export type Listing =
  | Readonly<{ kind: 'listed'; lines: readonly ListedLine[] }>
  /** The vendor has no list of models that a key can read. */
  | Readonly<{ kind: 'unlisted' }>
  | Readonly<{ kind: 'refused'; refusal: Refusal }>;

/** How a preset says that models are listed. */
export type ListingRule = Readonly<{ list: string; prices?: string | undefined }>;

const TIMEOUTS = { connectMs: 5_000, firstByteMs: 15_000, idleMs: 10_000, totalMs: 20_000 };
const CALL_TIMEOUTS = { connectMs: 5_000, firstByteMs: 45_000, idleMs: 20_000, totalMs: 60_000 };
const LIST_BYTES_MAX = 16 * 1024 * 1024;
const ANSWER_BYTES_MAX = 1024 * 1024;
const QUESTION = { messages: [{ role: 'user', content: 'Say OK.' }], max_tokens: 16 };

export async function listModels(provider: Provider, rule: ListingRule, services: ProbeServices): Promise<Listing> {
  const place = placeOf(provider, rule);
  if (place === null) return { kind: 'unlisted' };
  const answer = await ask(services, {
    ...place,
    method: 'GET',
    headers: ['accept', 'application/json', 'accept-encoding', 'identity'],
    authorization: authorizationOf(provider),
    body: '',
    timeouts: TIMEOUTS,
    responseBytesMax: LIST_BYTES_MAX,
  });
  if (answer.kind === 'refused') return answer;
  const { status, body } = answer;
  if (status !== 200) return { kind: 'refused', refusal: explainRefusal(status, body) };
  const lines = readListing(body, (rule.prices as ListedPrices | undefined) ?? null);
  if (lines !== null) return { kind: 'listed', lines };
  const message = 'The address answered, but not with a list of models. Check the base URL.';
  return { kind: 'refused', refusal: { reason: 'request', message, status } };
}

function placeOf(provider: Provider, { list }: ListingRule): Pick<TransportCall, 'baseUrl' | 'path'> | null {
  if (list === 'book' || list === 'none') return null;
  if (list.startsWith('/')) return { baseUrl: provider.baseUrl, path: list };
  if (list === 'protocol') {
    const path = protocolOf(provider.protocol)?.modelsPath;
    return path === undefined ? null : { baseUrl: provider.baseUrl, path };
  }
  const { origin, pathname, search } = new URL(list);
  return { baseUrl: origin, path: pathname + search };
}

/** Null when the provider answered. */
export async function askSomething(candidate: Candidate, services: ProbeServices): Promise<Refusal | null> {
  const request = parseChatRequest({ model: candidate.model.id, ...QUESTION });
  const codec = codecOf(candidate, request);
  if (codec?.decode === undefined) {
    return { reason: 'request', message: 'The protocol of this provider takes no conversations.', status: null };
  }
  const {
    path,
    body,
    contentType = 'application/json',
    accept = 'application/json',
  } = codec.encode(request, candidate);
  const answer = await ask(services, {
    baseUrl: candidate.provider.baseUrl,
    path,
    headers: ['content-type', contentType, 'accept', accept, 'accept-encoding', 'identity'],
    authorization: authorizationOf(candidate.provider),
    body,
    timeouts: CALL_TIMEOUTS,
    responseBytesMax: ANSWER_BYTES_MAX,
  });
  if (answer.kind === 'refused') return answer.refusal;
  const { status, headers, body: bytes } = answer;
  if (status < 200 || status > 299) return explainRefusal(status, bytes);
  const decoded = codec.decode({ headers, body: bytes }, request, candidate);
  if (decoded.kind === 'answer') return null;
  return { reason: 'vendor', message: 'It answered with something that is no answer to a question.', status };
}

type Answer =
  | Readonly<{ kind: 'answer'; status: number; headers: Parameters<WholeReceiver['onStart']>[1]; body: Buffer }>
  | Readonly<{ kind: 'refused'; refusal: Refusal }>;

function ask({ transport }: ProbeServices, call: TransportCall): Promise<Answer> {
  return new Promise((resolve) => {
    const receiver = new WholeReceiver(
      (status, headers, body) => resolve({ kind: 'answer', status, headers, body }),
      ({ kind, detail }) => resolve({ kind: 'refused', refusal: refusalOf(call.baseUrl, kind, detail) }),
    );
    transport.send(call, receiver);
  });
}

function refusalOf(baseUrl: string, kind: string, detail: string): Refusal {
  if (kind === 'unauthorized')
    return { reason: 'key', message: `The credentials are not usable: ${detail}.`, status: null };
  return unreachableRefusal(baseUrl, kind === 'timeout' || kind === 'overtime');
}
