// GET /v1/statement and /v1/orgs/:orgId/statement, and for the operator GET /admin/v1/users/:id/entries and
// /admin/v1/orgs/:id/entries: every entry of an account with the balance after it, as JSON page by page or as one CSV.

import { DAY_MS, dayOf } from '../../canonical/calendar.ts';
import type { AccountStatementAnswer, EntryKind, StatementEntry } from '../../contract/statement.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { sendBytes, sendJson } from '../../http/respond.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Entries, Entry, StatementSpan } from '../../modules/ledger/entries.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import type { Clock } from '../../platform/clock.ts';
import { formatCsv } from '../../platform/csv.ts';
import { formatUsd, usdNumber } from '../../platform/money.ts';
import { knownOrg, knownUser } from '../admin/known-user.ts';
import { REPORT_READERS } from '../orgs/reports.ts';
import { type RoleServices, requireRole } from '../orgs/require-role.ts';
import { readPage } from '../page.ts';
import type { PrincipalHandler } from '../protect.ts';
import { readSpan } from '../request-fields.ts';

export const STATEMENT_LIMIT_MAX = 1_000;
const CSV_ROWS_MAX = 50_000;
/** The longest span in which charges are added up by day. */
const BY_DAY_SPAN_MS = 366 * DAY_MS;
const COLUMNS = ['id', 'at', 'kind', 'amountUsd', 'balanceUsd', 'note', 'reference', 'generationId', 'model', 'calls'];

export type StatementServices = RoleServices & Readonly<{ entries: Entries; clock: Clock }>;

/** For the calling key's account, or that of the signed-in person. */
export const readAccountStatement =
  (services: StatementServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { userId, accountId, caller } = principal;
    if (accountId !== userId) {
      // Other members' entries are for roles that may see them, and not for every key of a member.
      if (caller?.keyType === 'standard') {
        throw new ApiError('http_403', "This key does not show an organization's statement: use a management key.");
      }
      await requireRole(services, principal, accountId, REPORT_READERS);
    }
    await sendStatement(services, exchange, accountId);
  };

export const readOrgStatement =
  (services: StatementServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireRole(services, principal, exchange.params.orgId ?? '', REPORT_READERS);
    await sendStatement(services, exchange, orgId);
  };

export const readUserEntries =
  (services: StatementServices & Readonly<{ identity: Identity }>): Handler =>
  async (exchange) => {
    const user = await knownUser(exchange, services.identity);
    await sendStatement(services, exchange, user.id);
  };

export const readOrgEntries =
  (services: StatementServices & Readonly<{ organizations: Pick<Organizations, 'find'> }>): Handler =>
  async (exchange) => {
    const organization = await knownOrg(exchange, services.organizations);
    await sendStatement(services, exchange, organization.id);
  };

async function sendStatement(services: StatementServices, exchange: Exchange, accountId: string): Promise<void> {
  const query = new URLSearchParams(exchange.queryText);
  const span = spanOf(query, accountId, services.clock.nowMs());
  if (oneOf(query, 'format', ['json', 'csv']) === 'csv') {
    sendCsv(exchange, span, await services.entries.all(span, CSV_ROWS_MAX));
    return;
  }
  const { after: cursor, limit } = readPage(query, 'cursor', STATEMENT_LIMIT_MAX);
  const statement = await services.entries.page(span, { cursor, limit });
  if (statement === null) throw new ApiError('http_400', 'cursor: must be the next cursor of a previous page.');
  const { fromMs, sums, entries, next } = statement;
  const answer: AccountStatementAnswer = {
    accountId,
    from: isoOrNull(fromMs),
    to: isoOrNull(span.toMs),
    openingBalanceUsd: sums === null ? null : usdNumber(sums.openingNanoUsd),
    closingBalanceUsd: sums === null ? null : usdNumber(sums.closingNanoUsd),
    totals: (sums?.kinds ?? []).map(({ kind, amountNanoUsd }) => ({
      kind: kind as EntryKind,
      amountUsd: usdNumber(amountNanoUsd),
    })),
    entries: entries.map((entry) => toAnswer(entry, accountId)),
    next,
  };
  sendJson(exchange, 200, answer);
}

function sendCsv(
  exchange: Exchange,
  { accountId, fromMs, toMs }: StatementSpan,
  entries: readonly Entry[] | null,
): void {
  if (entries === null) {
    throw new ApiError('http_400', `from: the span has more than ${CSV_ROWS_MAX} entries. Shorten it, or ask by=day.`);
  }
  const rows = entries.map((entry) => {
    const { id, at, kind, note, reference, generationId, model, calls } = toAnswer(entry, accountId);
    const amounts = [entry.amountNanoUsd, entry.balanceNanoUsd].map((amount) => ({ decimal: formatUsd(amount) }));
    return [
      id,
      at,
      kind,
      ...amounts,
      note ?? '',
      reference ?? '',
      generationId ?? '',
      model ?? '',
      String(calls ?? ''),
    ];
  });
  const days = [fromMs, toMs === null ? null : toMs - 1].map((timeMs) => (timeMs === null ? '' : `-${dayOf(timeMs)}`));
  const headers = ['Content-Disposition', `attachment; filename="tollgate-statement${days.join('')}.csv"`];
  const content = { type: 'text/csv; charset=utf-8', body: formatCsv([COLUMNS, ...rows]) };
  sendBytes(exchange, 200, content, [...headers, 'X-Content-Type-Options', 'nosniff']);
}

function spanOf(query: URLSearchParams, accountId: string, nowMs: number): StatementSpan {
  const { fromMs, toMs } = readSpan(query);
  const isByDay = oneOf(query, 'by', ['call', 'day']) === 'day';
  if (!isByDay) return { accountId, fromMs, toMs, isByDay };
  const earliestMs = (toMs ?? nowMs) - BY_DAY_SPAN_MS;
  if (fromMs !== null && fromMs < earliestMs)
    throw new ApiError('http_400', 'from: must be at most 366 days before to.');
  return { accountId, fromMs: fromMs ?? Math.max(0, earliestMs), isFromUsual: fromMs === null, toMs, isByDay };
}

/** The first value where it is left out. */
function oneOf<Value extends string>(query: URLSearchParams, name: string, values: readonly [Value, Value]): Value {
  const given = query.get(name) ?? values[0];
  const value = values.find((known) => known === given);
  if (value === undefined) throw new ApiError('http_400', `${name}: must be ${values.join(' or ')}.`);
  return value;
}

const isoOrNull = (timeMs: number | null): string | null => (timeMs === null ? null : new Date(timeMs).toISOString());

const toAnswer = (entry: Entry, accountId: string): StatementEntry => ({
  id: String(entry.id),
  at: entry.at.toISOString(),
  kind: entry.kind as EntryKind,
  amountUsd: usdNumber(entry.amountNanoUsd),
  balanceUsd: usdNumber(entry.balanceNanoUsd),
  note: entry.note === '' ? null : entry.note,
  reference: publicReference(entry.reference, accountId),
  generationId: entry.generationId,
  model: entry.model,
  calls: entry.calls === null ? null : Number(entry.calls),
});

/** References are unique in the whole ledger, so some contain their account. */
function publicReference(reference: string | null, accountId: string): string | null {
  const own = [`operator:${accountId}:`, `adjustment:${accountId}:`].find((prefix) => reference?.startsWith(prefix));
  return own === undefined ? reference : (reference?.slice(own.length) ?? null);
}
