// GET /admin/v1/orgs/:id/statements?year&month and POST .../statements/:month/paid: what an organization owes for a
// month, and that it has paid.

import { isMonth, type Month, parseMonth, YEAR_MAX, YEAR_MIN } from '../../canonical/calendar.ts';
import { type StatementAnswer, StatementPaidBody } from '../../contract/orgs.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import type { MonthStatement, Statements } from '../../modules/orgs/statements.ts';
import { usdNumber } from '../../platform/money.ts';
import { bodyReader } from '../read-body.ts';
import { knownOrg } from './known-user.ts';

type MonthServices = Readonly<{ organizations: Pick<Organizations, 'find'>; statements: Statements }>;

export const readStatement =
  ({ organizations, statements }: MonthServices): Handler =>
  async (exchange) => {
    const month = queriedMonth(new URLSearchParams(exchange.queryText));
    const organization = await knownOrg(exchange, organizations);
    sendJson(exchange, 200, toAnswer(await statements.read(organization.id, month)));
  };

export function markStatementPaid({ organizations, statements }: MonthServices): Handler {
  const readBody = bodyReader(StatementPaidBody);
  return async (exchange) => {
    const body = await readBody(exchange);
    const month = parseMonth(exchange.params.month ?? '');
    if (month === null) throw new ApiError('http_404', 'There is no such statement: name the month as 2026-01.');
    const organization = await knownOrg(exchange, organizations);
    if (organization.billing.kind !== 'monthly') {
      throw new ApiError('http_409', 'This organization pays in advance: credit it instead.');
    }
    const { reference, note } = body;
    const statement = await statements.markPaid({ orgId: organization.id, month, reference, note: note ?? '' });
    sendJson(exchange, 200, toAnswer(statement));
  };
}

function queriedMonth(query: URLSearchParams): Month {
  const numberOf = (name: string): number => {
    const text = query.get(name);
    if (text === null) throw new ApiError('http_400', `${name}: this query parameter is required.`);
    return /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  };
  const month = { year: numberOf('year'), month: numberOf('month') };
  if (isMonth(month)) return month;
  throw new ApiError('http_400', `year: must be from ${YEAR_MIN} to ${YEAR_MAX}, and month from 1 to 12.`);
}

function toAnswer(statement: MonthStatement): StatementAnswer {
  return {
    orgId: statement.orgId,
    year: statement.month.year,
    month: statement.month.month,
    state: statement.state,
    totalUsd: usdNumber(statement.totalNanoUsd),
    paidUsd: usdNumber(statement.paidNanoUsd),
    dueUsd: usdNumber(statement.dueNanoUsd),
    lines: statement.lines.map(({ model, requests, amountNanoUsd }) => ({
      model,
      requests,
      amountUsd: usdNumber(amountNanoUsd),
    })),
    payments: statement.payments.map(({ amountNanoUsd, reference, note, createdAt }) => ({
      amountUsd: usdNumber(amountNanoUsd),
      reference,
      note,
      paidAt: createdAt.toISOString(),
    })),
  };
}
