// A month's statement: exactly what was charged, issued when the month is over, paid once.

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBooks } from '../../src/modules/ledger/books.ts';
import { createStatements, type Statements } from '../../src/modules/orgs/statements.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { sessionsOf } from '../../src/platform/db/servers.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { ADMIN_TOKEN, type Answer, type Harness, startHarness } from '../harness.ts';
import { type LedgerBed, type LedgerProcess, openBed, USD } from '../ledger/fixture.ts';
import { ShiftedClock } from './shifted-clock.ts';

const DAY_MS = 86_400_000;
const clock = new ShiftedClock();
let harness: Harness;

const flat = (usd: string) => ({
  commands: 'tokens-10-10',
  entry: { pricing: { prompt: '0', completion: '0', request: usd } },
});

beforeAll(async () => {
  harness = await startHarness({
    models: { 'openai/dollar': flat('1'), 'openai/odd': flat('0.123456789') },
    start: { clock },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

const operate = (method: string, path: string, body?: unknown): Promise<Answer> =>
  harness.request(method, path, { key: ADMIN_TOKEN, ...(body === undefined ? {} : { body }) });

async function organization(creditLineUsd: number): Promise<{ id: string; key: string }> {
  const { userId } = await harness.account(0);
  const org = { name: 'Acme', ownerUserId: userId, billingPlan: 'monthly', creditLineUsd };
  const id = String((await operate('POST', '/admin/v1/orgs', org)).body.id);
  const key = await operate('POST', `/admin/v1/orgs/${id}/keys`, { name: 'ci', userId });
  return { id, key: String(key.body.key) };
}

const call = async (key: string, model = 'openai/dollar'): Promise<number> =>
  (await harness.chat(key, { model })).status;

/** The month that the charges of this test fall into: they carry the database's time. */
const now = new Date();
const year = now.getUTCFullYear();
const month = now.getUTCMonth() + 1;
const monthText = `${year}-${String(month).padStart(2, '0')}`;

const statement = (id: string): Promise<Answer> =>
  operate('GET', `/admin/v1/orgs/${id}/statements?year=${year}&month=${month}`);

const pay = (id: string, reference: string): Promise<Answer> =>
  operate('POST', `/admin/v1/orgs/${id}/statements/${monthText}/paid`, { reference, note: 'by bank' });

describe('a statement', () => {
  test('BILL-13 ERR-17 call until the line is used up, pay on account, call again; then the month ends', async () => {
    const { id, key } = await organization(3);
    expect([await call(key), await call(key), await call(key), await call(key)]).toEqual([200, 200, 200, 402]);
    expect((await statement(id)).body).toEqual({
      orgId: id,
      year,
      month,
      state: 'open',
      totalUsd: 3,
      paidUsd: 0,
      dueUsd: 3,
      lines: [{ model: 'openai/dollar', requests: 3, amountUsd: 3 }],
      payments: [],
    });
    const paid = await pay(id, 'wire-1');
    expect(paid.status).toBe(200);
    expect(paid.body).toMatchObject({
      state: 'open',
      totalUsd: 3,
      paidUsd: 3,
      dueUsd: 0,
      payments: [{ amountUsd: 3, reference: 'wire-1', note: 'by bank', paidAt: expect.any(String) }],
    });
    expect((await pay(id, 'wire-2')).status).toBe(409);
    expect(await call(key, 'openai/odd')).toBe(200);

    clock.move(32 * DAY_MS);
    try {
      expect((await statement(id)).body).toMatchObject({
        state: 'issued',
        totalUsd: 3.123456789,
        paidUsd: 3,
        dueUsd: 0.123456789,
        lines: [
          { model: 'openai/dollar', requests: 3, amountUsd: 3 },
          { model: 'openai/odd', requests: 1, amountUsd: 0.123456789 },
        ],
      });
      expect((await pay(id, 'wire-3')).body).toMatchObject({ state: 'paid', paidUsd: 3.123456789, dueUsd: 0 });
      expect((await pay(id, 'wire-4')).status).toBe(409);
      expect((await operate('GET', `/admin/v1/orgs/${id}`)).body).toMatchObject({ balanceUsd: 0 });
    } finally {
      clock.move(-32 * DAY_MS);
    }
  });

  test('BILL-13 a payment is credited once, however often it is reported, also at once', async () => {
    const { id, key } = await organization(10);
    expect([await call(key), await call(key)]).toEqual([200, 200]);
    clock.move(32 * DAY_MS);
    try {
      const answers = await Promise.all(Array.from({ length: 20 }, () => pay(id, 'wire-1')));
      for (const { status, body } of answers) {
        expect(status).toBe(200);
        expect(body).toMatchObject({ state: 'paid', paidUsd: 2, dueUsd: 0 });
      }
      const others = await Promise.all(['a', 'b', 'c'].map((reference) => pay(id, reference)));
      expect(others.map(({ status }) => status)).toEqual([409, 409, 409]);
      expect((await operate('GET', `/admin/v1/orgs/${id}`)).body).toMatchObject({ balanceUsd: 0 });
    } finally {
      clock.move(-32 * DAY_MS);
    }
  });

  test('BILL-13 two payments at once for one month: one is credited', async () => {
    const { id, key } = await organization(10);
    expect(await call(key)).toBe(200);
    clock.move(32 * DAY_MS);
    try {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => pay(id, `wire-${index}`)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect((await operate('GET', `/admin/v1/orgs/${id}`)).body).toMatchObject({ balanceUsd: 0 });
    } finally {
      clock.move(-32 * DAY_MS);
    }
  });

  test('BILL-13 what was credited in another way is not asked for again', async () => {
    const { id, key } = await organization(10);
    await operate('POST', `/admin/v1/orgs/${id}/credits`, { amountUsd: '1.5' });
    expect([await call(key), await call(key)]).toEqual([200, 200]);
    expect((await statement(id)).body).toMatchObject({ totalUsd: 2, dueUsd: 0.5 });
    expect((await pay(id, 'wire-1')).body).toMatchObject({ paidUsd: 0.5, dueUsd: 0 });
    expect((await operate('GET', `/admin/v1/orgs/${id}`)).body).toMatchObject({ balanceUsd: 0 });
  });

  test('BILL-13 a call that is refunded after a payment in advance leaves nothing due, and never less', async () => {
    const { id, key } = await organization(10);
    expect(await call(key)).toBe(200);
    const { id: callId } = (await harness.chat(key, { model: 'openai/dollar' })).body;
    expect((await pay(id, 'wire-1')).body).toMatchObject({ state: 'open', paidUsd: 2, dueUsd: 0 });
    expect((await operate('POST', `/admin/v1/generations/${callId}/refund`, { reason: 'broken' })).status).toBe(200);
    expect((await statement(id)).body).toMatchObject({ state: 'open', totalUsd: 1, paidUsd: 2, dueUsd: 0 });
    expect((await pay(id, 'wire-2')).status).toBe(409);
    clock.move(32 * DAY_MS);
    try {
      expect((await statement(id)).body).toMatchObject({ state: 'paid', totalUsd: 1, paidUsd: 2, dueUsd: 0 });
      expect((await pay(id, 'wire-3')).status).toBe(409);
    } finally {
      clock.move(-32 * DAY_MS);
    }
  });

  test('BILL-13 an issued statement stands, also when the records of its calls are gone', async () => {
    const { id, key } = await organization(10);
    expect(await call(key)).toBe(200);
    clock.move(32 * DAY_MS);
    const client = new Client({ connectionString: harness.databaseUrl });
    await client.connect();
    try {
      const issued = (await statement(id)).body;
      const { rows: records } = await client.query('select * from generations where account_id = $1', [id]);
      await client.query('begin');
      await client.query('delete from generations where account_id = $1', [id]);
      await client.query('commit');
      expect((await statement(id)).body).toEqual(issued);
      expect(records).toHaveLength(1);
      const refused = client.query('update statements set total_nano_usd = 0 where org_id = $1', [id]);
      await expect(refused).rejects.toThrow('an issued statement stands');
      // The books are checked against the records after the test.
      await client.query('insert into generations select * from json_populate_recordset(null::generations, $1)', [
        JSON.stringify(records),
      ]);
    } finally {
      await client.end();
      clock.move(-32 * DAY_MS);
    }
  });

  test('ERR-04 ERR-07 is asked for by a month that can be', async () => {
    const { id } = await organization(10);
    for (const query of ['', 'year=2026', 'month=1', 'year=2026&month=13', 'year=1999&month=1', 'year=x&month=1']) {
      const answer = await operate('GET', `/admin/v1/orgs/${id}/statements?${query}`);
      expect(answer.status, query).toBe(400);
    }
    const future = await operate('GET', `/admin/v1/orgs/${id}/statements?year=2100&month=12`);
    expect(future.body).toMatchObject({ state: 'open', totalUsd: 0, lines: [] });
    const path = `/admin/v1/orgs/${id}/statements`;
    expect((await operate('POST', `${path}/2026-13/paid`, { reference: 'r' })).status).toBe(404);
    expect((await operate('POST', `${path}/${monthText}/paid`, {})).body).toMatchObject({
      error: { code: 'missing_required_field', message: expect.stringContaining('reference') },
    });
    expect((await operate('POST', `${path}/${monthText}/paid`, { reference: '' })).status).toBe(400);
    expect((await pay(id, 'wire-1')).status).toBe(409);
    const { userId } = await harness.account(0);
    const prepaid = await operate('POST', '/admin/v1/orgs', { name: 'P', ownerUserId: userId });
    expect((await pay(String(prepaid.body.id), 'wire-1')).status).toBe(409);
  });
});

describe('beyond one process', () => {
  let bed: LedgerBed;
  let process: LedgerProcess;

  beforeAll(async () => {
    bed = await openBed();
    process = await bed.startProcess();
  });

  afterAll(async () => {
    expect(await process.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [] });
    await bed.close();
  });

  type Credit = LedgerProcess['ledger']['credit'];

  const statementsWith = (credit: Credit, time: Clock = clock): Statements =>
    statementsOn(process.database, { credit }, time);

  const statementsOn = (database: Database, ledger: Readonly<{ credit: Credit }>, time: Clock): Statements => {
    const { inSession } = createBooks({ connect: sessionsOf(bed.url), database, clock: time, logger: silentLogger });
    return createStatements({ database, inSession, ledger, clock: time, logger: silentLogger });
  };

  /** An organization that owes three dollars, charged at a time of the test's choice. */
  async function debtor(id: string, chargedAt: string): Promise<void> {
    const record = `gen-${id}`;
    await bed.rows(
      "insert into accounts (id, kind, credit_line_nano_usd, balance_nano_usd, total_spent_nano_usd) values ($1, 'monthly', $2, -$3::bigint, $3)",
      [id, (10n * USD).toString(), (3n * USD).toString()],
    );
    await bed.rows("insert into organizations (id, name, created_at) values ($1, 'Acme', $2)", [id, chargedAt]);
    await bed.rows(
      `insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id, created_at)
       values ($1, 'system-revenue', $2, 'charge', $3, $4)`,
      [id, (3n * USD).toString(), record, chargedAt],
    );
    await bed.rows(
      `insert into generations (id, account_id, user_id, key_id, operation, model_id, provider_name, upstream_model,
         upstream_status, is_stream, is_failover, created_at, duration_ms, prompt_tokens, completion_tokens,
         cached_tokens, cache_write_tokens, reasoning_tokens, prompt_audio_tokens, completion_image_tokens,
         subtotal_nano_usd, cache_discount_nano_usd, cost_nano_usd, absorbed_nano_usd, attempts)
       values ($1, $2, 'usr', 'key', 'chat', 'acme/one', 'p', 'm', 200, false, false, $4::timestamptz - interval '5 minutes',
         1, 0, 0, 0, 0, 0, 0, 0, $3, 0, $3, 0, 1)`,
      [record, id, (3n * USD).toString(), chargedAt],
    );
  }

  const balance = async (id: string): Promise<bigint> => (await process.ledger.account(id)).balanceNanoUsd;

  test('BILL-13 a month that takes longer to add up than a call may wait is issued all the same', async () => {
    await debtor('org-large', '2020-02-10T00:00:00Z');
    const { database } = process;
    const hasty: Database = {
      transaction: (work) => database.transaction(work),
      isReachable: () => true,
      close: async () => {},
      query: (statement, values) =>
        statement.name === 'orgs_charges_by_model'
          ? Promise.reject(new Error('canceling statement due to statement timeout'))
          : database.query(statement, values),
    };
    const march: Clock = { ...systemClock, nowMs: () => Date.parse('2020-03-02T00:00:00Z') };
    const statements = statementsOn(hasty, process.ledger, march);
    await statements.catchUp();
    expect(await bed.rows("select month from statements where org_id = 'org-large'")).toHaveLength(1);
    expect(await statements.read('org-large', { year: 2020, month: 2 })).toMatchObject({ totalNanoUsd: 3n * USD });
  });

  test('BILL-13 dead between the record of a payment and its credit: it is credited later, once', async () => {
    const soundly: Credit = (input) => process.ledger.credit(input);
    const dyings: Credit[] = [
      () => Promise.reject(new Error('died')),
      async (input) => {
        await process.ledger.credit(input);
        throw new Error('died');
      },
    ];
    for (const [index, dying] of dyings.entries()) {
      const orgId = `org-debtor-${index}`;
      await debtor(orgId, '2024-02-10T12:00:00Z');
      const received = { orgId, month: { year: 2024, month: 2 }, reference: 'wire-1', note: '' };
      await expect(statementsWith(dying).markPaid(received)).rejects.toThrow('died');
      const waiting = await statementsWith(soundly).read(orgId, received.month);
      expect(waiting).toMatchObject({ state: 'paid', paidNanoUsd: 3n * USD, dueNanoUsd: 0n });
      const sound = statementsWith(soundly);
      if (index === 0) await sound.catchUp();
      else await sound.markPaid(received);
      await sound.catchUp();
      expect(await balance(orgId)).toBe(0n);
    }
  });

  test('BILL-13 a payment that is under way for one month does not lower what is due for another', async () => {
    const orgId = 'org-two-months';
    await debtor(orgId, '2024-02-10T12:00:00Z');
    await bed.rows('update accounts set balance_nano_usd = -$2::bigint, total_spent_nano_usd = $2 where id = $1', [
      orgId,
      (5n * USD).toString(),
    ]);
    await bed.rows(
      `insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id, created_at)
       values ($1, 'system-revenue', $2, 'charge', 'gen-march', '2024-03-01T00:00:00Z')`,
      [orgId, (2n * USD).toString()],
    );
    await bed.rows(
      `insert into generations select 'gen-march', account_id, user_id, key_id, operation, model_id, provider_name,
         upstream_model, app_name, finish_reason, upstream_status, is_stream, is_failover, '2024-02-29T23:59:00Z',
         duration_ms, first_token_ms, prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens,
         reasoning_tokens, prompt_audio_tokens, completion_image_tokens, $2, 0, $2, 0, absorbed_reason, attempts
       from generations where id = 'gen-' || $1`,
      [orgId, (2n * USD).toString()],
    );
    const february = { year: 2024, month: 2 };
    const march = { year: 2024, month: 3 };
    const halfDead = statementsWith(async (input) => {
      await process.ledger.credit(input);
      throw new Error('died');
    });
    const sound = statementsWith((input) => process.ledger.credit(input));
    expect(await sound.read(orgId, march)).toMatchObject({ totalNanoUsd: 2n * USD, dueNanoUsd: 2n * USD });
    await expect(halfDead.markPaid({ orgId, month: february, reference: 'f', note: '' })).rejects.toThrow('died');
    expect(await sound.read(orgId, march)).toMatchObject({ dueNanoUsd: 2n * USD, lines: [{ model: 'acme/one' }] });
    await sound.markPaid({ orgId, month: march, reference: 'm', note: '' });
    await sound.catchUp();
    expect(await balance(orgId)).toBe(0n);
  });

  test('one payment that cannot be credited does not hold up another', async () => {
    const received = { month: { year: 2024, month: 2 }, reference: 'wire-1', note: '' };
    const dead = statementsWith(() => Promise.reject(new Error('died')));
    for (const orgId of ['org-stuck', 'org-fine']) {
      await debtor(orgId, '2024-02-10T12:00:00Z');
      await expect(dead.markPaid({ orgId, ...received })).rejects.toThrow('died');
    }
    await statementsWith((input) => {
      return input.accountId === 'org-stuck' ? Promise.reject(new Error('refused')) : process.ledger.credit(input);
    }).catchUp();
    expect([await balance('org-stuck'), await balance('org-fine')]).toEqual([-3n * USD, 0n]);
    await statementsWith((input) => process.ledger.credit(input)).catchUp();
    expect(await balance('org-stuck')).toBe(0n);
  });

  test('BILL-13 last month is issued without being asked for, an hour after its end', async () => {
    const lastMonth = new Date(Date.UTC(year, month - 2, 15));
    await debtor('org-issued', lastMonth.toISOString());
    const issued = async (): Promise<number> =>
      (await bed.rows("select 1 from statements where org_id = 'org-issued'")).length;
    const atStart = new ShiftedClock();
    atStart.move(Date.UTC(year, month - 1, 1, 0, 30) - Date.now());
    await statementsWith((input) => process.ledger.credit(input), atStart).catchUp();
    expect(await issued()).toBe(0);
    atStart.move(31 * 60_000);
    await statementsWith((input) => process.ledger.credit(input), atStart).catchUp();
    expect(await issued()).toBe(1);
    const [row] = await bed.rows("select total_nano_usd from statements where org_id = 'org-issued'");
    expect(row?.total_nano_usd).toBe((3n * USD).toString());
  });
});
