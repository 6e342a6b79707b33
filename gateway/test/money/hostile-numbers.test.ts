// Hostile numbers in every quantity of every endpoint: refused by name or served at the right price. Never an internal
// error, never a negative amount, and never a charge for a call that was not made.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Answer, type Json } from '../harness.ts';
import { type PaymentsHarness, startPaymentsHarness } from '../payments/payments-harness.ts';
import { bodyWith, HOSTILE_LINES, HOSTILE_NUMBERS, TARGETS, type Target } from './hostile-numbers.ts';

const PRICE_USD = 0.00014;
const AT_ONCE = 6;

let payments: PaymentsHarness;
let customer: { key: string; userId: string };
let managementKey: string;
let orgId: string;

beforeAll(async () => {
  const painter = { output_modalities: ['image'], pricing: { image: String(PRICE_USD) } };
  // Four seconds by default, and no other length: the price of a call.
  const film = {
    output_modalities: ['video'],
    pricing: { video_second: String(PRICE_USD / 4) },
    video: { durations: [4, 13], resolutions: ['720p'], aspect_ratios: ['16:9'] },
  };
  payments = await startPaymentsHarness({
    models: {
      'openai/priced': { commands: 'tokens-100-20' },
      'acme/painter': { entry: painter },
      'acme/embed': {
        entry: { output_modalities: ['embeddings'], pricing: { prompt: '0', request: String(PRICE_USD) } },
      },
      'acme/judge': { entry: { output_modalities: ['moderation'], pricing: { request: String(PRICE_USD) } } },
      'acme/ranker': { entry: { output_modalities: ['rerank'], pricing: { search: String(PRICE_USD) } } },
      'openai/film': { commands: 'video-queue-0+video-run-0', entry: film },
    },
  });
  const { harness } = payments;
  customer = await harness.account(1_000);
  const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'one', ownerUserId: customer.userId });
  orgId = String(org.id);
  const keys = `/admin/v1/users/${customer.userId}/keys`;
  managementKey = String((await harness.operate('POST', keys, { name: 'm', keyType: 'management' })).key);
});

afterAll(() => payments.close());

async function rows<Row extends object>(text: string): Promise<Row[]> {
  const client = new Client({ connectionString: payments.harness.databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

function send(target: Target, field: string, number: string): Promise<Answer> {
  const fill = (text: string): string => text.replaceAll('{user}', customer.userId).replaceAll('{org}', orgId);
  const key = { customer: customer.key, manager: managementKey, operator: ADMIN_TOKEN }[target.as];
  const { harness } = payments;
  // A text is sent as a reader of the query or of the header would get it.
  const value = number.startsWith('"') ? (JSON.parse(number) as string) : number;
  if (target.in === 'header') {
    const [name = '', template = ''] = field.split(': ');
    const headers = { [name]: Buffer.from(template.replace('*', value)).toString('latin1') };
    return harness.request(target.method, target.path, {
      key,
      headers,
      body: { ...target.body, user: `${field} ${number}` },
    });
  }
  if (target.method !== 'GET') {
    const body = fill(bodyWith(target.body ?? {}, field, number));
    if (target.isLater === true) return sendUnread(target, key, body);
    return harness.request(target.method, fill(target.path), { key, body });
  }
  return harness.request('GET', `${fill(target.path)}?${field}=${encodeURIComponent(value)}`, { key });
}

/** Work that runs later is described, and not yet compared with its description. */
async function sendUnread({ method, path, headers }: Target, key: string, body: string): Promise<Answer> {
  const response = await fetch(payments.harness.url + path, {
    ...{ method, body },
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Json };
}

/** By the specification, a preference that no provider meets is answered with this status, and is not a failure. */
const isUnmet = (field: string, answer: Answer): boolean =>
  field.startsWith('provider.') && answer.status === 503 && answer.text.includes('upstream_unavailable');

function faultOf(target: Target, field: string, answer: Answer): string | null {
  if (answer.status >= 500 && !isUnmet(field, answer)) return `status ${answer.status}`;
  if (answer.status >= 400 && answer.body.error === undefined) return `no error envelope: ${answer.text.slice(0, 80)}`;
  if (answer.status !== 200 || target.isCall !== true) return null;
  const cost = /"(?:tollgate_)?cost":([^,}]+)/.exec(answer.text)?.[1];
  return Number(cost) === PRICE_USD ? null : `cost ${cost}`;
}

type Case = Readonly<{ field: string; number: string }>;

async function sendAll(target: Target): Promise<{ faults: string[]; served: number; refused: number }> {
  const cases: Case[] = target.fields.flatMap((field) => HOSTILE_NUMBERS.map((number) => ({ field, number })));
  const faults: string[] = [];
  let served = 0;
  let refused = 0;
  const work = async (): Promise<void> => {
    for (let next = cases.pop(); next !== undefined; next = cases.pop()) {
      const answer = await send(target, next.field, next.number);
      if (answer.status < 300) served += 1;
      else refused += 1;
      const fault = faultOf(target, next.field, answer);
      if (fault !== null) faults.push(`${next.field} = ${next.number.slice(0, 40)}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { faults, served, refused };
}

const charges = async (): Promise<number> => (await rows("select 1 from journal_entries where kind = 'charge'")).length;

/** Jobs are advanced now and then; here at once. */
async function untilEnded(): Promise<void> {
  await rows("update video_jobs set due_at = now() where phase <> 'ended'");
  await expect.poll(() => rows("select id from video_jobs where phase <> 'ended'")).toEqual([]);
}

/** What is run later is over, and so many of it were answered. */
async function answeredLater(): Promise<number> {
  await expect.poll(() => rows('select id from batches where ended_at is null')).toEqual([]);
  return (await rows("select 1 from batch_lines where state = 'succeeded'")).length;
}

test.each(TARGETS.map((target) => [`${target.method} ${target.path}`, target] as const))(
  'NUM-1 BILL-16 %s',
  async (_, target) => {
    const before = await charges();
    const answeredBefore = await answeredLater();
    const { faults, served, refused } = await sendAll(target);
    expect(faults).toEqual([]);
    expect(served + refused).toBe(target.fields.length * HOSTILE_NUMBERS.length);
    if (target.path === '/admin/v1/brake') {
      await payments.harness.operate('PATCH', '/admin/v1/brake', { enabled: false, minuteUsd: null, hourUsd: null });
    }
    if (target.isJob === true) await untilEnded();
    const answered = target.isLater === true ? (await answeredLater()) - answeredBefore : served;
    const isCharged = target.isCall === true || target.isJob === true || target.isLater === true;
    const after = await charges();
    expect(after - before).toBe(isCharged ? answered : 0);
    expect(await payments.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  },
);

const hasEndless = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(hasEndless)
    : typeof value === 'number' && !Number.isFinite(value);

test('NUM-1 BILL-16 the lines of batches, in both forms', async () => {
  const { harness } = payments;
  const before = [await charges(), await answeredLater()] as const;
  const headers = { Authorization: `Bearer ${customer.key}` };
  const form = new FormData();
  form.set('purpose', 'batch');
  const lines = HOSTILE_LINES.map(
    ({ name, body }) => `{"custom_id":"${name}","method":"POST","url":"/v1/chat/completions","body":${body}}`,
  );
  form.set('file', new Blob([lines.join('\n')]), 'in.jsonl');
  const file = (await (await fetch(`${harness.url}/v1/files`, { method: 'POST', headers, body: form })).json()) as {
    id: string;
  };
  const made = await harness.request('POST', '/v1/batches', {
    key: customer.key,
    body: { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
  });
  // One request contains them all, and is refused as a whole when one of them is not a number.
  const requests = HOSTILE_LINES.filter(({ body }) => !hasEndless(JSON.parse(body))).map(
    ({ name, body }) => `{"custom_id":"${name.replaceAll('.', '-')}","params":${body}}`,
  );
  const messages = await harness.request('POST', '/v1/messages/batches', {
    key: customer.key,
    body: `{"requests":[${requests.join(',')}]}`,
  });
  expect([made.status, messages.status], messages.text).toEqual([200, 200]);
  const answered = (await answeredLater()) - before[1];
  expect((await charges()) - before[0]).toBe(answered);
  expect(answered).toBeGreaterThan(0);
  expect(await rows("select 1 from batch_lines where state not in ('succeeded', 'failed')")).toEqual([]);
  const ended = await harness.request('GET', `/v1/batches/${String(made.body.id)}`, { key: customer.key });
  const counts = ended.body.request_counts as { completed: number; failed: number };
  expect(counts.completed + counts.failed).toBe(HOSTILE_LINES.length);
  const failures = await harness.request('GET', `/v1/files/${String(ended.body.error_file_id)}/content`, {
    key: customer.key,
  });
  const statuses = failures.text
    .trimEnd()
    .split('\n')
    .map((line) => /"status_code":(\d+)/.exec(line)?.[1]);
  expect(statuses.filter((status) => status !== '400')).toEqual([]);
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
});

test('NUM-1 I7 nothing in the books is below zero, and no call cost more than its price', async () => {
  const [worst] = await rows<Record<string, string>>(
    `select min(amount_nano_usd) as least, max(amount_nano_usd) filter (where kind = 'charge') as charge
     from journal_entries`,
  );
  expect(Number(worst?.least)).toBeGreaterThanOrEqual(0);
  expect(worst?.charge).toBe('140000');
  expect(await rows('select id from accounts where balance_nano_usd < -credit_line_nano_usd')).toEqual([]);
  expect(await rows('select id from top_up_orders where credit_nano_usd <= 0 or total_minor <= 0')).toEqual([]);
});

test('NUM-1 credit beyond what the books can hold is refused, and what is there stays', async () => {
  const { userId, key } = await payments.harness.account(0);
  const path = `/admin/v1/users/${userId}/credits`;
  const credit = () => payments.harness.request('POST', path, { key: ADMIN_TOKEN, body: { amountUsd: 9_000_000_000 } });
  const statuses = [(await credit()).status, (await credit()).status];
  expect(statuses).toEqual([200, 400]);
  const credits = await payments.harness.request('GET', '/v1/credits', { key });
  expect(credits.body.data).toEqual({ total_credits: 9_000_000_000, total_usage: 0 });
});
