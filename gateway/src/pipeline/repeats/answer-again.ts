// The cache of answers, for calls that ask for it with `X-Tollgate-Cache` and keys and organizations that have it for
// all of theirs. It stands behind parsing, resolving, allow-lists and reviewers, so that all of them judge each call
// anew; what is found costs nothing, and is recorded with what it has saved. An answer is never given to another
// account, nor to another user unless the organization shares it, nor for another model, body or catalog.

import type { CacheRules } from '../../canonical/caller.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { Resolution } from '../../canonical/model.ts';
import type { CanonicalRequest } from '../../canonical/operation.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { RecordedResponse, type Recording, replay } from '../../http/recorded-response.ts';
import type { AnswerName, Answers } from '../../modules/answers/answers.ts';
import type { Savings } from '../../modules/answers/savings.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';
import { openHeaded, packHeaded } from '../../platform/headed-bytes.ts';
import { type NanoUsd, parseUsdJson } from '../../platform/money.ts';
import { type Call, GENERATION_HEADER } from '../call.ts';
import { NO_COST } from '../money/call-money.ts';
import { costIn, withoutCost } from './told-cost.ts';

const CACHE_HEADER = 'x-tollgate-cache';
const NAME = 'X-Tollgate-Cache';
const WISH = /^\s*ttl=(\d{1,5})\s*(?:,\s*(refresh)\s*)?$/;
const TTL_SECONDS_MAX = 86_400;
const RECORDED_BYTES_MAX = 1024 * 1024;
/** The name that stands in place of a provider. */
const PROVIDER = 'cache';

export type CacheServices = Readonly<{
  answers: Answers;
  savings: Pick<Savings, 'note'>;
  catalog: Pick<Catalog, 'current'>;
  ledger: Pick<Ledger, 'reserve' | 'release'>;
}>;

type Served = Readonly<{ exchange: Exchange; call: Call; resolution: Resolution }>;

/** An answer as it is kept, beside its bytes. */
type Kept = Readonly<{
  head: Omit<Recording, 'body'>;
  generationId: string;
  costNanoUsd: string;
}>;

/**
 * Null for calls that say nothing about the cache, which are nearly all. Also null where answers are reviewed, because
 * an answer that was kept before a rule existed has not been checked against it.
 */
export function askCache(exchange: Exchange, call: Call, services: CacheServices): CachedCall | null {
  const isAsked = exchange.request.headers[CACHE_HEADER] !== undefined || call.caller.cache !== undefined;
  return isAsked && call.review === null ? new CachedCall(exchange, call, services) : null;
}

export class CachedCall {
  readonly #call: Call;
  readonly #services: CacheServices;
  #place: Place | null = null;
  #recorded: RecordedResponse | null = null;
  /** The exchange that the call is answered with. */
  exchange: Exchange;

  constructor(exchange: Exchange, call: Call, services: CacheServices) {
    this.exchange = exchange;
    this.#call = call;
    this.#services = services;
  }

  /** True when a kept answer was given. Otherwise the call goes on, and its answer is kept where that is allowed. */
  async answer(resolution: Resolution): Promise<boolean> {
    const { exchange } = this;
    const { cache: rules } = this.#call.caller;
    const wish = readWish(exchange, rules);
    if (wish === null) return false;
    const served = { exchange, call: this.#call, resolution };
    if (rules?.isForbidden || !isRepeatable(this.#call, resolution)) {
      exchange.headers.push(NAME, 'bypass');
      return false;
    }
    const name = nameOf(served, this.#services);
    const found = wish.isRefreshed ? null : await this.#services.answers.find(name);
    if (found !== null) {
      await giveAgain(served, found, this.#services);
      return true;
    }
    this.#record({ name, ttlSeconds: wish.ttlSeconds });
    return false;
  }

  #record(place: Place): void {
    const { exchange } = this;
    const recorded = new RecordedResponse(RECORDED_BYTES_MAX, { endsWithFollowers: true });
    // The handler that catches the call's error tells the client, so a failure here is not told twice.
    recorded.follow(exchange, [NAME, 'miss']).catch(() => {});
    this.#place = place;
    this.#recorded = recorded;
    this.exchange = { ...exchange, response: recorded.asResponse(), headers: [] };
  }

  end(): void {
    const recorded = this.#recorded;
    if (recorded === null || this.#place === null) return;
    if (!recorded.writableEnded) {
      recorded.fail(null);
      return;
    }
    const recording = recorded.recording();
    recorded.release();
    if (recording === null || recording.status !== 200 || recorded.isBroken) return;
    const { name, ttlSeconds } = this.#place;
    this.#services.answers.keep(name, packed(recording, this.#call), ttlSeconds);
  }
}

type Wish = Readonly<{ ttlSeconds: number; isRefreshed: boolean }>;

/** The call's own header counts before the setting of its key or organization; most have neither. */
function readWish({ request }: Exchange, rules: CacheRules | undefined): Wish | null {
  const header = request.headers[CACHE_HEADER];
  if (header === undefined) {
    const ttlSeconds = rules === undefined || rules.isForbidden ? null : rules.ttlSeconds;
    return ttlSeconds === null ? null : { ttlSeconds, isRefreshed: false };
  }
  if (header === 'off') return null;
  const match = WISH.exec(typeof header === 'string' ? header : '');
  const ttlSeconds = Number(match?.[1]);
  if (match === null || ttlSeconds < 1 || ttlSeconds > TTL_SECONDS_MAX) {
    throw new ApiError('http_400', `${NAME} must be ttl=<seconds from 1 to ${TTL_SECONDS_MAX}>, or off.`);
  }
  return { ttlSeconds, isRefreshed: match[2] !== undefined };
}

/**
 * Not repeated: answers that use tools or the web, because those change; pictures, whose addresses expire within an
 * hour; operations whose request is not a JSON body; and calls of students.
 */
function isRepeatable({ request, caller }: Call, { primary }: Resolution): boolean {
  if (caller.student !== undefined || primary.shortcuts.includes('online')) return false;
  if (request.operation !== 'chat') {
    return request.operation === 'embeddings' || request.operation === 'rerank' || request.operation === 'speech';
  }
  const { hostedTools, plugins, needs } = request;
  const usesTools = hostedTools.searchesMax > 0 || hostedTools.hasOthers;
  return !usesTools && plugins.length === 0 && !needs.imageOutput;
}

/** Everything that an operator changes (prices, routes, models) makes another revision of the catalog. */
function nameOf({ exchange, call, resolution }: Served, { answers, catalog }: CacheServices): AnswerName {
  const { caller, request, forwardedHeaders } = call;
  const models = [resolution.primary, ...resolution.fallbacks].map(({ model, isFreeVariant, shortcuts }) => [
    ...[model.id, isFreeVariant, shortcuts],
  ]);
  const { accountId, userId, cache } = caller;
  return answers.nameOf({ accountId, userId: cache?.isShared === true ? null : userId }, [
    exchange.route.path,
    `${catalog.current().revision} ${cache?.epoch ?? 0}`,
    JSON.stringify([models, forwardedHeaders]),
    bodyText(request),
  ]);
}

/** Two bodies with the same members in another order are the same. */
const bodyText = ({ body }: CanonicalRequest): string => stringifyExactJson(sorted(body) as JsonObject);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted((value as JsonObject)[name])]));
}

type Place = Readonly<{ name: AnswerName; ttlSeconds: number }>;

function packed({ body, ...recorded }: Recording, { generationId }: Call): Buffer {
  const kept: Kept = {
    head: { ...recorded, headers: withoutOwn(recorded.headers) },
    generationId,
    costNanoUsd: String(parseUsdJson(costIn(body.toString('latin1'))) ?? 0n),
  };
  return packHeaded(kept, body);
}

/** Leaves out headers that belong to one generation or follow from the bytes. */
function withoutOwn(headers: readonly string[]): readonly string[] {
  const own = new Set([GENERATION_HEADER.toLowerCase(), 'content-length']);
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (!own.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

/** Gives the same answer under a new generation id, at no cost. */
async function giveAgain({ exchange, call, resolution }: Served, answer: Buffer, services: CacheServices) {
  const { head: kept, body: keptBody } = openHeaded<Kept>(answer);
  const text = keptBody.toString('latin1').replaceAll(kept.generationId, call.generationId);
  const body = Buffer.from(withoutCost(text), 'latin1');
  await record({ call, resolution }, BigInt(kept.costNanoUsd), services);
  const own = [GENERATION_HEADER, call.generationId, NAME, 'hit'];
  const length = kept.head.isFramed ? [] : ['Content-Length', String(body.length)];
  replay(exchange, { ...kept.head, body }, [...own, ...length]);
}

async function record(
  { call, resolution }: Pick<Served, 'call' | 'resolution'>,
  savedNanoUsd: NanoUsd,
  { ledger, savings }: CacheServices,
): Promise<void> {
  const { caller, request, generationId } = call;
  const { accountId, userId } = caller;
  savings.note({ accountId, userId, modelId: resolution.primary.model.id }, savedNanoUsd);
  const reservation = await ledger.reserve(caller.accountId, generationId, 0n);
  ledger.release(reservation, {
    ...NO_COST,
    id: generationId,
    accountId: caller.accountId,
    userId: caller.userId,
    keyId: caller.keyId,
    operation: request.operation,
    modelId: resolution.primary.model.id,
    providerName: PROVIDER,
    upstreamModel: '',
    appName: call.appName,
    finishReason: null,
    upstreamStatus: 200,
    isStream: request.isStream,
    isFailover: false,
    createdAtMs: call.startedAtMs,
    durationMs: call.elapsedMs(),
    firstTokenMs: null,
    usage: zeroUsage,
    subtotalNanoUsd: savedNanoUsd,
    cacheDiscountNanoUsd: savedNanoUsd,
    attempts: 0,
    attemptLog: null,
    autoDecision: call.auto,
    reviews: call.reviews.entries,
  });
}
