// A month's statement: what an organization's calls of that month were charged, what has been paid, and what is still
// due. Marking it as paid credits the account, which frees the credit line. What is due is never more than the account
// owes, so that credit given in another way is not demanded again.

import { formatMonth, HOUR_MS, type Month, monthBefore, monthEndMs } from '../../canonical/calendar.ts';
import type { CreditLedger } from '../../canonical/credit.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { isConnectionFailure } from '../../platform/db/connection-failure.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { greaterOf, lesserOf, type NanoUsd } from '../../platform/money.ts';
import * as store from './store/statements.ts';

/** Charges carry the database's time. A month is closed when no clock in the system can still be in it. */
const CLOSING_DELAY_MS = HOUR_MS;
/** Organizations that are looked at in one statement. */
const PART_SIZE = 500;
/** Then payments have their turn; the next round goes on with the organization after the last one. */
const ROUND_MS = 60_000;
/** After all organizations have been looked at: what has failed is tried again then. */
const REST_MS = HOUR_MS;

type StatementState = 'open' | 'issued' | 'paid';

export type MonthStatement = Readonly<{
  orgId: string;
  month: Month;
  state: StatementState;
  totalNanoUsd: NanoUsd;
  paidNanoUsd: NanoUsd;
  dueNanoUsd: NanoUsd;
  lines: readonly store.StatementLine[];
  payments: readonly store.PaymentRow[];
}>;

type ReceivedPayment = Readonly<{
  orgId: string;
  month: Month;
  /** The payer's or the bank's name for the payment. Repeating it for the same month changes nothing. */
  reference: string;
  note: string;
}>;

export type Statements = Readonly<{
  read(orgId: string, month: Month): Promise<MonthStatement>;
  /** Credits what is due. A month that is over is closed by it; before that it is a payment in advance. */
  markPaid(payment: ReceivedPayment): Promise<MonthStatement>;
  /**
   * Issues the statements of closed months that are missing, last month's or older ones, and credits payments whose
   * process died before crediting them.
   */
  catchUp(): Promise<void>;
}>;

type StatementsOptions = Readonly<{
  database: Database;
  /** For the charges of a month, which may take longer than others' statements may. */
  inSession<Result>(run: (session: Queryable) => Promise<Result>): Promise<Result>;
  ledger: CreditLedger;
  clock: Clock;
  logger: Logger;
}>;

export function createStatements(options: StatementsOptions): Statements {
  const { database, clock, logger } = options;
  const cut = (month: Month): Cut => ({ month, isClosed: clock.nowMs() >= monthEndMs(month) + CLOSING_DELAY_MS });
  const read = async (orgId: string, month: Month): Promise<MonthStatement> => {
    const { isClosed } = cut(month);
    const lines = await readLines(options, orgId, { month, isClosed });
    return assemble(database, { orgId, month, lines, isClosed });
  };
  /** One organization that fails must not hold up the others. */
  const attempt = async (orgId: string, work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (isConnectionFailure(error)) throw error;
      logger.error({ orgId, error: asError(error) }, 'a statement could not be completed');
    }
  };
  const issueMissing = createIssuing(options, attempt);
  return {
    read,
    async markPaid(received) {
      const { orgId, month } = received;
      const { isClosed } = cut(month);
      const lines = await readLines(options, orgId, { month, isClosed });
      const payment = await database.transaction((transaction) => record(transaction, received, { lines, isClosed }));
      await credit(payment, options);
      return read(orgId, month);
    },
    async catchUp() {
      for (const payment of await store.listUncredited(database))
        await attempt(payment.orgId, credit(payment, options));
      await issueMissing();
    },
  };
}

type Attempt = (orgId: string, work: Promise<unknown>) => Promise<void>;

/**
 * Looks through all organizations when a month has closed, and after that once an hour: among a hundred thousand that
 * takes hundreds of statements, nearly always for nothing.
 */
function createIssuing({ database, clock, inSession }: StatementsOptions, attempt: Attempt): () => Promise<void> {
  let lookedFor = '';
  let afterOrgId = '';
  let restsUntilMs = 0;
  /** False when the time is over, or another process is issuing. */
  const issue = (missing: readonly store.UnissuedRow[], untilMs: number): Promise<boolean> =>
    inSession(async (session) => {
      if (!(await store.lockIssuing(session))) return false;
      const within: LinesOptions = { database, inSession: (run) => run(session) };
      for (const { orgId, months } of missing) {
        if (clock.nowMs() >= untilMs) return false;
        // First, so that one at which the connection breaks does not keep the others from their turn.
        afterOrgId = orgId;
        for (const month of months) await attempt(orgId, readLines(within, orgId, { month, isClosed: true }));
      }
      return true;
    });
  const goOn = async (lastMonth: Month): Promise<void> => {
    const untilMs = clock.nowMs() + ROUND_MS;
    for (;;) {
      const part = await store.listUnissued(database, { lastMonth, afterOrgId, limit: PART_SIZE });
      const missing = part.filter(({ months }) => months.length > 0);
      if (missing.length > 0 && !(await issue(missing, untilMs))) return;
      if (part.length < PART_SIZE) break;
      afterOrgId = part.at(-1)?.orgId ?? '';
    }
    afterOrgId = '';
    restsUntilMs = clock.nowMs() + REST_MS;
  };
  return async () => {
    const lastMonth = monthBefore(clock.nowMs() - CLOSING_DELAY_MS);
    if (formatMonth(lastMonth) !== lookedFor) {
      lookedFor = formatMonth(lastMonth);
      afterOrgId = '';
      restsUntilMs = 0;
    }
    if (clock.nowMs() >= restsUntilMs) await goOn(lastMonth);
  };
}

type Cut = Readonly<{ month: Month; isClosed: boolean }>;

type LinesOptions = Pick<StatementsOptions, 'database' | 'inSession'>;

/** The statement of a closed month is issued when it is first read, and stays the same from then on. */
async function readLines(
  { database, inSession }: LinesOptions,
  orgId: string,
  { month, isClosed }: Cut,
): Promise<readonly store.StatementLine[]> {
  const issued = isClosed ? await store.findIssued(database, orgId, month) : null;
  if (issued !== null) return issued;
  if (isClosed && (await store.isArchived(database, month))) {
    throw new ApiError('http_409', 'The charges of this month are archived, and no statement was issued before.');
  }
  const lines = await inSession((session) => store.readCharges(session, orgId, month));
  if (isClosed) await store.issue(database, orgId, { month, totalNanoUsd: sum(lines), lines });
  return lines;
}

type Parts = Readonly<{ orgId: string; month: Month; lines: readonly store.StatementLine[]; isClosed: boolean }>;

async function assemble(queryable: Queryable, { orgId, month, lines, isClosed }: Parts): Promise<MonthStatement> {
  const payments = await store.listPayments(queryable, orgId, month);
  const owedNanoUsd = await store.readOwed(queryable, orgId);
  const totalNanoUsd = sum(lines);
  const paidNanoUsd = sum(payments);
  // A call that is refunded after a payment in advance leaves more paid than the month comes to.
  const unpaidNanoUsd = greaterOf(0n, totalNanoUsd - paidNanoUsd);
  const isPaid = payments.some((payment) => payment.isFinal) || (isClosed && unpaidNanoUsd === 0n);
  return {
    orgId,
    month,
    state: isPaid ? 'paid' : isClosed ? 'issued' : 'open',
    totalNanoUsd,
    paidNanoUsd,
    dueNanoUsd: isPaid ? 0n : lesserOf(unpaidNanoUsd, owedNanoUsd),
    lines,
    payments,
  };
}

async function record(
  transaction: Queryable,
  { orgId, month, reference, note }: ReceivedPayment,
  { lines, isClosed }: Readonly<{ lines: readonly store.StatementLine[]; isClosed: boolean }>,
): Promise<store.PaymentRow> {
  if (!(await store.lockOrganization(transaction, orgId))) {
    throw new ApiError('http_404', 'There is no such organization.');
  }
  const statement = await assemble(transaction, { orgId, month, lines, isClosed });
  const earlier = statement.payments.find((payment) => payment.reference === reference);
  if (earlier !== undefined) return earlier;
  if (statement.state === 'paid') throw new ApiError('http_409', 'This statement is paid already.');
  if (!isClosed && statement.dueNanoUsd === 0n) throw new ApiError('http_409', 'Nothing is due for this month yet.');
  return store.insertPayment(transaction, {
    id: newId('pay'),
    orgId,
    month,
    amountNanoUsd: statement.dueNanoUsd,
    reference,
    note,
    isFinal: isClosed,
  });
}

/** The payment's id is the reference in the ledger, so repeating this credits once. */
async function credit(payment: store.PaymentRow, { database, ledger, logger }: StatementsOptions): Promise<void> {
  if (payment.creditedAt !== null) return;
  if (payment.amountNanoUsd > 0n) {
    await ledger.credit({
      accountId: payment.orgId,
      amountNanoUsd: payment.amountNanoUsd,
      note: `Statement paid: ${payment.reference}`,
      reference: payment.id,
    });
  }
  await store.markCredited(database, payment.id);
  logger.info({ orgId: payment.orgId, paymentId: payment.id }, 'a payment for a statement was credited');
}

const sum = (items: readonly Readonly<{ amountNanoUsd: NanoUsd }>[]): NanoUsd =>
  items.reduce((total, { amountNanoUsd }) => total + amountNanoUsd, 0n);
