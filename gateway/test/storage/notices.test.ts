// Notices reach every process, and a process that may have missed some is told so.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Notices } from '../../src/platform/db/database.ts';
import { openNotices } from '../../src/platform/db/notices.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { emptyDatabase, type FreshDatabase } from '../database.ts';
import { eventually } from './folders.ts';

let fresh: FreshDatabase;
let here: Notices;
let there: Notices;

beforeAll(async () => {
  fresh = await emptyDatabase();
  here = await openNotices(fresh.url, silentLogger);
  there = await openNotices(fresh.url, silentLogger);
});

afterAll(async () => {
  await Promise.all([here.close(), there.close()]);
  await fresh.drop();
});

/** Ends the connections of the newest `count` listeners. */
async function terminateNewest(count: number): Promise<void> {
  const client = new Client({ connectionString: fresh.url });
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from (
       select pid from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
       order by backend_start desc limit $1) as newest`,
    [count],
  );
  await client.end();
}

test('a notice reaches its topic in every process, the sender included, with its payload whole', async () => {
  const heard: string[] = [];
  here.subscribe('keys', (payload) => heard.push(`here ${payload}`));
  there.subscribe('keys', (payload) => heard.push(`there ${payload}`));
  there.subscribe('catalog', () => heard.push('wrong topic'));
  const payload = `key-1:é${'x'.repeat(3_000)}`;
  await Promise.all(['one', 'two', payload].map((text) => here.publish('keys', text)));
  await eventually(() => heard.length === 6);
  expect(heard.filter((text) => text.startsWith('there'))).toEqual(['there one', 'there two', `there ${payload}`]);
});

test('a handler that throws silences neither the others nor the connection', async () => {
  const heard: string[] = [];
  here.subscribe('faulty', () => {
    throw new Error('a fault');
  });
  here.subscribe('faulty', (payload) => heard.push(payload));
  await there.publish('faulty', 'a');
  await there.publish('faulty', 'b');
  await eventually(() => heard.length === 2);
});

test('after a lost connection the gap is told once, and notices arrive again', async () => {
  let gaps = 0;
  const heard: string[] = [];
  here.onGap(() => {
    gaps += 1;
  });
  here.subscribe('limits', (payload) => heard.push(payload));
  await terminateNewest(2);
  await eventually(() => gaps > 0);
  await eventually(async () => {
    await there.publish('limits', 'again');
    return heard.length > 0;
  });
  expect(gaps).toBe(1);
});

test('a notice that meets a lost connection is sent again when it is back', async () => {
  const heard: string[] = [];
  there.subscribe('revoked', (payload) => heard.push(payload));
  const sender = await openNotices(fresh.url, silentLogger);
  await terminateNewest(1);
  await sender.publish('revoked', 'key-2');
  await eventually(() => heard.includes('key-2'));
  await sender.close();
});

test('the first connection must succeed', async () => {
  await expect(openNotices('postgres:///none?host=/nonexistent-folder&user=nobody', silentLogger)).rejects.toThrow(
    'ENOENT',
  );
});
