// GET /admin/v1/calls: the log of all calls, answered, failed and refused, page by page or as one CSV. GET
// /api/account/calls is the same for one's own account, without what only the operator may see: the cost of calls, and
// absorbed cost.

import { DAY_MS } from '../../canonical/calendar.ts';
import { CALL_OUTCOMES, type CallLogAnswer, type LoggedCall } from '../../contract/overview.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { sendBytes, sendJson } from '../../http/respond.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { CallPage, CallQuery, Calls } from '../../modules/usage/calls.ts';
import type { CallFilter, CallRow } from '../../modules/usage/store/calls.ts';
import type { Clock } from '../../platform/clock.ts';
import { type CsvNumber, formatCsv } from '../../platform/csv.ts';
import { formatUsd, parseUsdJson, usdNumber } from '../../platform/money.ts';
import { plainId } from '../account/generation.ts';
import { filterOf } from '../account/usage-query.ts';
import { readPage } from '../page.ts';
import type { AccountHandler } from '../protect.ts';
import { oneOf, readSpan, refused } from '../request-fields.ts';
import { filteredUserId } from './known-user.ts';

type CallLogServices = Readonly<{ calls: Calls; clock: Clock }>;
type AllCallsServices = CallLogServices & Readonly<{ identity: Pick<Identity, 'findUserByEmail'> }>;

export const CALLS_LIMIT_MAX = 500;
const CSV_ROWS_MAX = 20_000;
const CSV_PAGE = 2_000;
const COLUMNS = [
  ...(['at', 'id', 'outcome', 'status', 'code', 'message', 'count'] as const),
  ...(['userEmail', 'keyName', 'appName', 'model', 'provider', 'operation', 'streamed', 'finishReason'] as const),
  ...(['durationMs', 'firstTokenMs', 'promptTokens', 'completionTokens', 'costUsd', 'absorbedUsd'] as const),
] as const;
const OPERATOR_COLUMNS = [...COLUMNS, 'upstreamUsd'] as const;
type ColumnName = (typeof OPERATOR_COLUMNS)[number];
const USUAL_SPAN_MS = 31 * DAY_MS;
/** The clock of another process may be ahead. */
const AHEAD_MS = 60_000;

export const listAllCalls =
  (services: AllCallsServices): Handler =>
  async (exchange) => {
    const query = new URLSearchParams(exchange.queryText);
    const org = filterOf(query, 'org');
    const account = filterOf(query, 'account');
    const accountIds = org === null && account === null ? null : [org, account].filter((id) => id !== null);
    const userId = await filteredUserId(filterOf(query, 'user'), services.identity);
    const filter = { ...filterFrom(query), accountIds, userId };
    await send(services, exchange, filter, { show: toOperators, columns: OPERATOR_COLUMNS });
  };

export const listOwnCalls =
  (services: CallLogServices): AccountHandler =>
  async (exchange, { accountId }) => {
    const query = new URLSearchParams(exchange.queryText);
    const filter = { ...filterFrom(query), accountIds: [accountId], userId: filterOf(query, 'user') };
    const show = (row: CallRow): LoggedCall => ({ ...toLogged(row), absorbedUsd: 0 });
    await send(services, exchange, filter, { show, columns: COLUMNS });
  };

type Shown = Readonly<{ show: (row: CallRow) => LoggedCall; columns: readonly ColumnName[] }>;

async function send(
  services: CallLogServices,
  exchange: Exchange,
  filter: CallFilter,
  { show, columns }: Shown,
): Promise<void> {
  const query = new URLSearchParams(exchange.queryText);
  const span = spanOf(query, services.clock.nowMs());
  if (formatOf(query) === 'csv') {
    sendCsv(exchange, columns, (await allCalls(services.calls, { filter, ...span })).map(show));
    return;
  }
  const { after: cursor, limit } = readPage(query, 'cursor', CALLS_LIMIT_MAX);
  const page = await services.calls.list({ filter, ...span, cursor, limit });
  if (page === null) throw refused('cursor', 'must be the next cursor of a previous page.');
  const answer: CallLogAnswer = { calls: page.calls.map(show), next: page.next };
  sendJson(exchange, 200, answer);
}

function formatOf(query: URLSearchParams): 'json' | 'csv' {
  const format = query.get('format') ?? 'json';
  if (format === 'json' || format === 'csv') return format;
  throw refused('format', 'must be json or csv.');
}

async function allCalls(calls: Calls, query: Omit<CallQuery, 'cursor' | 'limit'>): Promise<readonly CallRow[]> {
  const rows: CallRow[] = [];
  let cursor: string | null = null;
  do {
    const page: CallPage | null = await calls.list({ ...query, cursor, limit: CSV_PAGE });
    rows.push(...(page?.calls ?? []));
    cursor = page?.next ?? null;
    if (rows.length > CSV_ROWS_MAX) {
      throw refused('from', `the span has more than ${CSV_ROWS_MAX} calls. Shorten it.`);
    }
  } while (cursor !== null);
  return rows;
}

function sendCsv(exchange: Exchange, columns: readonly ColumnName[], calls: readonly LoggedCall[]): void {
  const rows = calls.map((call) => columns.map((name) => cellOf(call[name])));
  const content = { type: 'text/csv; charset=utf-8', body: formatCsv([[...columns], ...rows]) };
  const headers = ['Content-Disposition', 'attachment; filename="tollgate-calls.csv"'];
  sendBytes(exchange, 200, content, [...headers, 'X-Content-Type-Options', 'nosniff']);
}

function cellOf(value: LoggedCall[ColumnName]): string | CsvNumber {
  if (typeof value === 'number') return { decimal: formatUsd(parseUsdJson(value) ?? 0n) };
  return value === null || value === undefined ? '' : String(value);
}

function spanOf(query: URLSearchParams, nowMs: number): Pick<CallQuery, 'fromMs' | 'toMs'> {
  const span = readSpan(query);
  const toMs = Math.min(span.toMs ?? nowMs + AHEAD_MS, nowMs + DAY_MS);
  return { fromMs: span.fromMs ?? Math.max(0, toMs - USUAL_SPAN_MS), toMs };
}

function filterFrom(query: URLSearchParams): Omit<CallFilter, 'accountIds' | 'userId'> {
  const outcome = oneOf('outcome', filterOf(query, 'outcome'), CALL_OUTCOMES);
  const status = filterOf(query, 'status');
  if (status !== null && !/^\d{1,3}$/.test(status)) throw refused('status', 'must be a status of HTTP.');
  const id = filterOf(query, 'id');
  return {
    keyId: filterOf(query, 'key'),
    model: filterOf(query, 'model'),
    provider: filterOf(query, 'provider'),
    appName: filterOf(query, 'app'),
    outcome,
    status: status === null ? null : Number(status),
    id: id === null ? null : plainId(id),
  };
}

const numberOrNull = (value: bigint | null): number | null => (value === null ? null : Number(value));

function toLogged(row: CallRow): LoggedCall {
  const {
    place: _place,
    at,
    isStream,
    promptTokens,
    completionTokens,
    costNanoUsd,
    absorbedNanoUsd,
    markupNanoUsd: _markup,
    standsFor,
    ...rest
  } = row;
  return {
    ...rest,
    at: at.toISOString(),
    streamed: isStream,
    promptTokens: numberOrNull(promptTokens),
    completionTokens: numberOrNull(completionTokens),
    costUsd: usdNumber(costNanoUsd),
    absorbedUsd: usdNumber(absorbedNanoUsd),
    count: standsFor,
  };
}

const toOperators = (row: CallRow): LoggedCall => ({
  ...toLogged(row),
  upstreamUsd: usdNumber(row.costNanoUsd + row.absorbedNanoUsd - row.markupNanoUsd),
});
