// GET /api/account/generations: an account's calls, newest first, page by page, by model, key, application and days.

import { DAY_MS, dayOf, dayStartMs } from '../../canonical/calendar.ts';
import type { GenerationListAnswer, GenerationSummary } from '../../contract/own-account.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendJson } from '../../http/respond.ts';
import type { GenerationListQuery, GenerationSummaryRow } from '../../modules/usage/store/generation-list.ts';
import type { UsageReports } from '../../modules/usage/usage.ts';
import { usdNumber } from '../../platform/money.ts';
import { readPage } from '../page.ts';
import type { AccountHandler } from '../protect.ts';
import { filterOf } from './usage-query.ts';

const FIRST_DAY = '1970-01-01';
const LAST_DAY = '9999-12-30';
/** A moment and an id, because several calls may end in one millisecond. */
const CURSOR = /^(\d{1,15})_([\w-]{1,80})$/;

export const listGenerations =
  (usage: Pick<UsageReports, 'listGenerations'>): AccountHandler =>
  async (exchange, { accountId }) => {
    const query = new URLSearchParams(exchange.queryText);
    const { after, limit } = readPage(query);
    const rows = await usage.listGenerations({ ...listQuery(query, after), accountId, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const next = rows.length > limit && last !== undefined ? `${last.created_at.getTime()}_${last.id}` : null;
    const answer: GenerationListAnswer = { data: shown.map(toSummary), next };
    sendJson(exchange, 200, answer);
  };

function listQuery(query: URLSearchParams, after: string | null): Omit<GenerationListQuery, 'accountId' | 'limit'> {
  const firstDay = dayField(query, 'from') ?? FIRST_DAY;
  const lastDay = dayField(query, 'to') ?? LAST_DAY;
  if (lastDay < firstDay) throw new ApiError('http_400', 'to: must not be before from.');
  const before = after === null ? { createdAtMs: (dayStartMs(lastDay) ?? 0) + DAY_MS, id: '' } : cursorOf(after);
  return {
    modelId: filterOf(query, 'model'),
    keyId: filterOf(query, 'api_key_id'),
    appName: filterOf(query, 'app'),
    firstDay,
    lastDay: dayOf(Math.min(before.createdAtMs, dayStartMs(lastDay) ?? 0)),
    before,
  };
}

function dayField(query: URLSearchParams, name: 'from' | 'to'): string | null {
  const text = query.get(name);
  if (text === null || text === '') return null;
  if (dayStartMs(text) === null) throw new ApiError('http_400', `${name}: must be a date, YYYY-MM-DD.`);
  return text;
}

function cursorOf(after: string): GenerationListQuery['before'] {
  const [, time, id] = CURSOR.exec(after) ?? [];
  const createdAtMs = Number(time);
  if (id === undefined || dayStartMs(dayOfOrNull(createdAtMs) ?? '') === null) {
    throw new ApiError('http_400', 'after: must be the next cursor of a previous page.');
  }
  return { createdAtMs, id };
}

const dayOfOrNull = (timeMs: number): string | null => (Math.abs(timeMs) <= 8.64e15 ? dayOf(timeMs) : null);

const toSummary = (row: GenerationSummaryRow): GenerationSummary => ({
  id: row.id,
  created_at: row.created_at.toISOString(),
  model: row.model_id,
  provider: row.provider_name,
  app_name: row.app_name,
  key_id: row.key_id,
  user_id: row.user_id,
  operation: row.operation,
  finish_reason: row.finish_reason,
  status: row.upstream_status,
  streamed: row.is_stream,
  duration_ms: row.duration_ms,
  first_token_ms: row.first_token_ms,
  prompt_tokens: Number(row.prompt_tokens),
  completion_tokens: Number(row.completion_tokens),
  cost: usdNumber(row.cost_nano_usd),
});
