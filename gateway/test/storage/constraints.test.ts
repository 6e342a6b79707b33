// Two requests at the same moment may both pass a check that only one of them can meet. The database then refuses the
// later one by a constraint, and its client must get a clear 409 and not a 500.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONSTRAINT_REFUSALS } from '../../src/errors/constraints.ts';
import { asApiError } from '../../src/http/error-response.ts';
import { confirmDomain } from '../../src/modules/orgs/store/domains.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';

let fresh: FreshDatabase;
let client: Client;
let database: Database;

beforeAll(async () => {
  fresh = await freshDatabase();
  client = new Client({ connectionString: fresh.url });
  await client.connect();
  database = openDatabase(fresh.url, silentLogger);
});

afterAll(async () => {
  await client.end();
  await database.close();
  await fresh.drop();
});

test('every constraint with a message of its own exists under that name', async () => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint
     UNION SELECT indexrelid::regclass::text FROM pg_index WHERE indisunique`,
  );
  const names = new Set(rows.map(({ name }) => name));
  expect(Object.keys(CONSTRAINT_REFUSALS).filter((name) => !names.has(name))).toEqual([]);
});

async function claim(orgId: string, domain: string): Promise<void> {
  await client.query("INSERT INTO accounts (id, kind) VALUES ($1, 'prepaid')", [orgId]);
  await client.query('INSERT INTO organizations (id, name) VALUES ($1, $1)', [orgId]);
  await client.query("INSERT INTO org_domains (org_id, domain, token, created_at) VALUES ($1, $2, 'token', now())", [
    orgId,
    domain,
  ]);
}

test('of two organizations that confirm one domain at the same moment, the later is told why not', async () => {
  await claim('org-first', 'race.example');
  await claim('org-second', 'race.example');
  const confirm = (orgId: string, meanwhile: () => Promise<unknown>): Promise<unknown> =>
    database.transaction(async (transaction) => {
      await confirmDomain(transaction, orgId, 'race.example', new Date());
      await meanwhile();
    });
  let second: Promise<unknown> = Promise.resolve();
  await confirm('org-first', async () => {
    second = confirm('org-second', async () => {}).catch((error: unknown) => error);
    await untilSomebodyWaits();
  });
  expect(asApiError(await second)).toMatchObject({
    status: 409,
    message: 'Another organization has confirmed this domain. Ask the operator.',
  });
});

test('any other violation stays a fault of ours, without its words', async () => {
  const error = await client
    .query("INSERT INTO organizations (id, name) VALUES ('org-nobody', 'x')")
    .catch((cause: unknown) => cause);
  expect(asApiError(error)).toMatchObject({ status: 500 });
  expect(asApiError(error).message).not.toContain('organizations');
});

/** The second statement is at the index and waits for the first transaction. */
async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT FROM pg_locks WHERE NOT granted');
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
