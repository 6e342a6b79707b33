// GET /v1/generation?id=: the record of one call, also while it is still running, so that a client that lost the
// connection can look before trying again. Another account's id is treated like one that does not exist, and so is a
// colleague's for a key that shows the figures of its holder alone.

import type { GenerationAnswer } from '../../contract/account.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendJson } from '../../http/respond.ts';
import type { CallView, OpenCalls } from '../../modules/usage/open-calls.ts';
import type { GenerationRow } from '../../modules/usage/store/generations.ts';
import type { UsageReports } from '../../modules/usage/usage.ts';
import type { Videos } from '../../modules/videos/videos.ts';
import { NO_MONEY, recordOf } from '../../pipeline/videos/new-job.ts';
import type { Clock } from '../../platform/clock.ts';
import { formatUsd, usdNumber } from '../../platform/money.ts';
import { costLines, priceTerms } from '../cost-lines.ts';
import type { RoleServices } from '../orgs/require-role.ts';
import { type AccountHandler, type AccountHolder, figuresOf } from '../protect.ts';

type RecordServices = Readonly<{
  usage: Pick<UsageReports, 'findGeneration' | 'findKeyName'>;
  openCalls: Pick<OpenCalls, 'find'>;
  videos: Pick<Videos, 'findOf'>;
  clock: Pick<Clock, 'nowMs'>;
}>;

export const readGeneration =
  (services: RecordServices & RoleServices): AccountHandler =>
  async (exchange, holder) => {
    const id = new URLSearchParams(exchange.queryText).get('id');
    if (id === null || id === '') throw new ApiError('http_400', 'id: this query parameter is required.');
    const answer = await findAnswer(holder.accountId, plainId(id), services);
    const onlyUserId = figuresOf(holder);
    if (answer === null || (onlyUserId !== null && answer.data.user_id !== onlyUserId))
      throw new ApiError('http_404', 'There is no such generation.');
    const { data } = answer;
    const reviews = await shownReviews(data.reviews, holder, services);
    sendJson(exchange, 200, { data: { ...data, reviews } } satisfies GenerationAnswer);
  };

type Reviews = GenerationAnswer['data']['reviews'];

/**
 * A rule that only flags must stay unseen by those whom it is about: they learn only which rule changed or stopped
 * their call, because showing harmless verdicts would also reveal the others by their absence. The rules of an
 * organization are about its members and not its administrators, those of the operator about everybody.
 */
async function shownReviews(
  reviews: Reviews,
  { userId, accountId, keyType }: AccountHolder,
  { members }: RoleServices,
): Promise<Reviews> {
  const isFelt = ({ outcome }: Reviews[number]): boolean => outcome === 'redacted' || outcome === 'blocked';
  if (reviews.every(isFelt)) return reviews;
  const isAdministrator = keyType !== 'standard' && (await members.memberOf(accountId, userId))?.role === 'org_admin';
  return reviews.filter((review) => isFelt(review) || (isAdministrator && review.by !== 'operator'));
}

async function findAnswer(accountId: string, id: string, services: RecordServices): Promise<GenerationAnswer | null> {
  const { usage, openCalls } = services;
  // Read first and used last: a call that ends in between is then found in one of the two places.
  const local = openCalls.find(accountId, id);
  const row = await usage.findGeneration(accountId, id);
  if (row !== null) return toAnswer(row, false);
  const view = await local;
  if (view === null) return findVideo(accountId, id, services);
  return toAnswer(rowOf(view, await usage.findKeyName(accountId, view.keyId)), view.isOpen);
}

/** A video has its record when it is finished, and its job from the moment at which it was ordered. */
async function findVideo(
  accountId: string,
  id: string,
  { usage, videos, clock }: RecordServices,
): Promise<GenerationAnswer | null> {
  const job = await videos.findOf(accountId, id);
  if (job === null) return null;
  if (job.phase !== 'ended') {
    const view = { ...recordOf(job, NO_MONEY, clock.nowMs()), finishReason: null, isOpen: true };
    return toAnswer(rowOf(view, await usage.findKeyName(accountId, view.keyId)), view.isOpen);
  }
  const row = await usage.findGeneration(accountId, id);
  return row === null ? null : toAnswer(row, false);
}

/** What is known of a call whose record cannot be read yet. */
function rowOf(view: CallView, keyName: string | null): GenerationRow {
  const { attemptLog, autoDecision, reviews } = view;
  return {
    id: view.id,
    model_id: view.modelId,
    provider_name: view.providerName,
    operation: view.operation,
    user_id: view.userId,
    key_id: view.keyId,
    key_name: keyName,
    app_name: view.appName,
    finish_reason: view.finishReason,
    upstream_status: view.upstreamStatus,
    is_stream: view.isStream,
    is_failover: view.isFailover,
    created_at: new Date(view.createdAtMs),
    duration_ms: view.durationMs,
    first_token_ms: view.firstTokenMs,
    ...NO_COUNTS,
    units: null,
    price_list_id: null,
    price_list: null,
    told: null,
    attempt_log: attemptLog?.map(({ durationMs, ...attempt }) => ({ ...attempt, duration_ms: durationMs })) ?? null,
    auto_decision: autoDecision === null ? null : { ...autoDecision, promoted_from: autoDecision.promotedFrom },
    reviews,
  };
}

const NO_COUNTS = {
  prompt_tokens: 0n,
  completion_tokens: 0n,
  cached_tokens: 0n,
  cache_write_tokens: 0n,
  reasoning_tokens: 0n,
  prompt_audio_tokens: 0n,
  completion_image_tokens: 0n,
  subtotal_nano_usd: 0n,
  cache_discount_nano_usd: 0n,
  cost_nano_usd: 0n,
  refunded_nano_usd: 0n,
  free_units: 0,
};

/** The Responses dialect shows the id with its own prefix. */
export function plainId(id: string): string {
  return id.startsWith('resp_') ? id.slice('resp_'.length) : id;
}

function toAnswer(row: GenerationRow, isOpen: boolean): GenerationAnswer {
  const promptTokens = Number(row.prompt_tokens);
  const completionTokens = Number(row.completion_tokens);
  const cost = usdNumber(row.cost_nano_usd);
  return {
    data: {
      id: row.id,
      model: row.model_id,
      provider: row.provider_name,
      created_at: row.created_at.toISOString(),
      operation: row.operation,
      user_id: row.user_id,
      key_id: row.key_id,
      key_name: row.key_name,
      app_name: row.app_name,
      finish_reason: row.finish_reason,
      status: row.upstream_status,
      duration_ms: row.duration_ms,
      first_token_ms: row.first_token_ms,
      throughput: tokensPerSecond(completionTokens, row.duration_ms),
      streamed: row.is_stream,
      in_progress: isOpen,
      is_failover: row.is_failover,
      is_free: row.free_units > 0,
      attempts: attemptsOf(row),
      auto: row.auto_decision,
      reviews: row.reviews ?? [],
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
        prompt_tokens_details: {
          cached_tokens: Number(row.cached_tokens),
          cache_write_tokens: Number(row.cache_write_tokens),
          audio_tokens: Number(row.prompt_audio_tokens),
        },
        completion_tokens_details: {
          reasoning_tokens: Number(row.reasoning_tokens),
          image_tokens: Number(row.completion_image_tokens),
        },
        ...(row.units === null ? {} : { units: publicUnits(row.units) }),
        cost,
      },
      // The subtotal is made from what was charged, so that the three always add up, with or without absorbed cost.
      cost_breakdown: {
        subtotal: usdNumber(row.cost_nano_usd + row.cache_discount_nano_usd),
        cache_discount: usdNumber(row.cache_discount_nano_usd),
        total: cost,
      },
      pricing: pricingOf(row),
      refunded: usdNumber(row.refunded_nano_usd),
      error: row.told,
    },
  };
}

/** Absorbed cost is not shown to callers: the lines add up to what was charged. */
function pricingOf(row: GenerationRow): GenerationAnswer['data']['pricing'] {
  const { price_list_id: version, price_list: list } = row;
  if (version === null || list === null) return null;
  const { tierAbovePromptTokens, completionMultiplier, extras } = priceTerms(list);
  const lines = costLines(row, list).map(({ what, units, perMillionUsd, unitUsd, usd }) => ({
    what,
    units,
    usd_per_million: perMillionUsd,
    usd_per_unit: unitUsd,
    usd,
  }));
  const uncharged = row.cost_nano_usd - (row.subtotal_nano_usd - row.cache_discount_nano_usd);
  const rest = { what: 'not charged', units: 1, usd_per_million: null, usd_per_unit: null, usd: formatUsd(uncharged) };
  return {
    version,
    tier_above_prompt_tokens: tierAbovePromptTokens,
    completion_multiplier: completionMultiplier,
    extras: [...extras],
    lines: uncharged === 0n ? lines : [...lines, rest],
  };
}

/** Lengths of time are shown in seconds, and names are spelled like the rest of the answer. */
function publicUnits(units: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const shown = Object.entries(units).map(([name, quantity]) =>
    name.endsWith('Ms') ? [`${name.slice(0, -'Ms'.length)}_seconds`, quantity / 1_000] : [snakeCase(name), quantity],
  );
  return Object.fromEntries(shown) as Record<string, number>;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The upstream's names of its models are internal and left out. */
function attemptsOf(row: GenerationRow): GenerationAnswer['data']['attempts'] {
  const { provider_name: provider, upstream_status: status, duration_ms } = row;
  if (row.attempt_log === null) return [{ provider, outcome: 'answered', status, duration_ms }];
  return row.attempt_log.map((attempt) => ({
    provider: attempt.provider,
    outcome: attempt.outcome,
    status: attempt.status,
    duration_ms: attempt.duration_ms,
  }));
}

function tokensPerSecond(tokens: number, durationMs: number): number {
  return durationMs === 0 ? 0 : Math.round((tokens * 100_000) / durationMs) / 100;
}
