// People, organizations and the operator get the notices that they chose, once for each cause, at addresses that they
// were allowed to give; signatures can be verified with the library of the standard.

import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { signIn } from '../authorization/sign-in.ts';
import { addMember, customer, newId, orgKey, PASSWORD, person } from '../authorization/world.ts';
import { ADMIN_TOKEN, type Json } from '../harness.ts';
import { setTrap } from '../outbound/trap.ts';
import { NoticeBed, PATIENCE } from './notice-bed.ts';

let bed: NoticeBed;
let rebinding = 0;
const operator = { Authorization: `Bearer ${ADMIN_TOKEN}` };

beforeAll(async () => {
  bed = await NoticeBed.open(async (name) => {
    if (name !== 'rebinding.example') throw new Error('no such name');
    rebinding += 1;
    return rebinding <= 2 ? ['93.184.216.34'] : ['127.0.0.1'];
  });
});

afterAll(() => bed.close());

beforeEach(() => {
  bed.receiver.heard.length = 0;
  bed.receiver.answerWith((response) => response.end('thanks'));
});

async function someone(): Promise<{ userId: string; email: string; headers: Record<string, string> }> {
  const { userId, email } = await customer(bed.harness, 'someone');
  return { userId, email, headers: await signIn(bed.harness, email, PASSWORD) };
}

async function organization() {
  const ann = await someone();
  const created = await bed.harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: ann.userId });
  return { ...ann, orgId: String(created.id) };
}

const OWN = '/api/account/notices';

async function add(base: string, headers: Record<string, string>, body: Json): Promise<Json> {
  const answer = await bed.ask('POST', `${base}/addresses`, headers, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const kindsOf = (states: readonly Json[]) => states.map(({ kind }) => kind);

/** A saved card that has bought, or is about to buy, all that it may this month. */
async function plantCeiling(accountId: string, userId: string, state: 'paid' | 'created'): Promise<void> {
  await bed.rows(
    `insert into automatic_top_ups (account_id, user_id, provider, is_enabled, threshold_nano_usd, amount_nano_usd,
       month_max_nano_usd, customer_id, card_id, card_label)
     values ($1, $2, 'stripe', true, 1000000000000, 25000000000, 60000000000, 'cus_x', 'pm_x', 'Visa 4242')`,
    [accountId, userId],
  );
  await bed.rows(
    `insert into top_up_orders (id, account_id, user_id, provider, currency, rate_nano, credit_nano_usd, fee_nano_usd,
       vat_nano_usd, total_nano_usd, total_minor, state, is_automatic, paid_at, session_id)
     values ($1, $2, $3, 'stripe', 'usd', 1000000000, 50000000000, 0, 0, 50000000000, 5000, $4, true, case $4 when 'paid' then now() end, $1)`,
    [newId('ord'), accountId, userId, state],
  );
}

/** One of each cause that takes days, or other people's servers, to happen. */
async function plantCauses(accountId: string, userId: string): Promise<void> {
  const at = new Date(bed.clock.nowMs());
  await bed.rows(
    `insert into api_keys (id, hash, name, key_type, user_id, account_id, prefix, suffix, created_at, expires_at)
     values ($1, sha256($1::text::bytea), 'old', 'standard', $3, $4, 'sk-tg-', 'abcd', $5::timestamptz - interval '100 days', null),
            ($2, sha256($2::text::bytea), 'soon', 'standard', $3, $4, 'sk-tg-', 'efgh', $5, $5::timestamptz + interval '3 days')`,
    [newId('key'), newId('key'), userId, accountId, at],
  );
  const orderId = newId('ord');
  await bed.rows(
    `insert into top_up_orders (id, account_id, user_id, provider, currency, rate_nano, credit_nano_usd, fee_nano_usd,
       vat_nano_usd, total_nano_usd, total_minor, state)
     values ($1, $2, $3, 'stripe', 'usd', 1000000000, 10000000000, 0, 0, 10000000000, 1000, 'expired')`,
    [orderId, accountId, userId],
  );
  await bed.rows(
    "insert into payment_events (provider, event_id, order_id, kind, outcome, created_at) values ('stripe', $1, $1, 'failed', 'accepted', $2)",
    [orderId, at],
  );
  await plantCeiling(accountId, userId, 'paid');
  await bed.rows(
    `insert into exposures (account_id, user_id, level_at, restrictions, restricted_at, restricted_until, restricted_reason)
     values ($1, $2, $3, 1, $3, $3::timestamptz + interval '1 day', 'abandoned')`,
    [accountId, userId, at],
  );
  await bed.rows(
    `insert into batches (id, account_id, user_id, key_id, endpoint, input_file_id, status, line_count, created_at,
       ended_at, expires_at, due_at)
     values ($1, $2, $3, 'key-x', '/v1/embeddings', 'file-x', 'completed', 3, $4, $4, $4, $4)`,
    [newId('batch'), accountId, userId, at],
  );
  const job = `vjob_${newId('vjob').slice(-24)}`;
  await bed.rows(
    `insert into video_jobs (
       id, generation_id, account_id, user_id, key_id, model_id, provider_name, upstream_model, task, duration_ms, size,
       second_price, request_price, held_nano_usd, phase, status, outcome, cost_nano_usd, created_at, expires_at,
       ended_at, checked_at, due_at
     ) values ($1, $1, $2, $3, 'key-x', 'acme/film', 'sim', 'film', 'text_to_video', 4000, '1280x720', 0, 0, 0, 'ended',
               'completed', 'completed', 0, $4, $4, $4, $4, $4)`,
    [job, accountId, userId, at],
  );
}

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

test('a signed webhook hears of every cause, once, and the signature is the standard’s', async () => {
  const { userId, headers } = await someone();
  const { kinds } = (await bed.ask('GET', OWN, headers)).body as { kinds: string[] };
  const wish = { channel: 'webhook', target: bed.receiver.url, kinds, lowBalanceUsd: 5000 };
  const { secret } = await add(OWN, headers, wish);
  const wished = { name: 'small', keyType: 'standard', limit: 0.01 };
  const key = (await bed.ask('POST', '/api/account/keys', headers, wished)).body;
  expect((await bed.harness.chat(String(key.key), { model: 'openai/test' })).status).toBe(200);
  await plantCauses(userId, userId);
  await bed.rows("update spend_counters set spent_nano_usd = 9000000 where scope = 'key' and scope_id = $1", [key.id]);
  await bed.ask('PATCH', '/api/account/circuit-breaker', headers, { cbEnabled: true, cbHourlyUsd: 0.01 });
  const own = await bed.harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'n', keyType: 'standard' });
  for (let call = 0; call < 3; call += 1) await bed.harness.chat(String(own.key), { model: 'acme/dear' });
  const report = { text: `key: ${own.key}`, place: 'https://paste.example/1' };
  expect((await bed.ask('POST', '/v1/keys/leaked', {}, report)).status).toBe(202);
  bed.round();
  const states = await bed.settled(userId, kinds.length);
  expect(new Set(kindsOf(states))).toEqual(new Set(kinds));
  expect(states).toHaveLength(kinds.length);
  expect(states.every(({ state, attempts }) => state === 'sent' && attempts === 1)).toBe(true);

  const webhook = new Webhook(String(secret));
  const heard = bed.receiver.heard.map(({ headers: sent, body }) => {
    const text = JSON.stringify(body);
    return webhook.verify(text, sent as Record<string, string>) as { type: string; data: Json };
  });
  expect(new Set(heard.map(({ type }) => type))).toEqual(new Set(kinds));
  expect(heard.find(({ type }) => type === 'budget.reached')?.data).toMatchObject({ percent: 80, limitUsd: '0.01' });
  expect(heard.find(({ type }) => type === 'balance.low')?.data).toMatchObject({ thresholdUsd: '5000' });
  const [first] = bed.receiver.heard;
  expect(() => webhook.verify(JSON.stringify({ ...first?.body, type: 'x' }), first?.headers as never)).toThrow();
  // Sent once more by somebody who has seen it: too late as it is, and unsigned with another time.
  const seen = JSON.stringify(first?.body);
  const dated = { ...(first?.headers as Record<string, string>), 'webhook-timestamp': String(nowSeconds() + 60) };
  expect(() => webhook.verify(seen, dated)).toThrow('No matching signature');
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 600_000);
  expect(() => webhook.verify(seen, first?.headers as never)).toThrow('too old');
  clock.mockRestore();

  // Nothing has changed except that the budget is used up: only that is new.
  await bed.rows("update spend_counters set spent_nano_usd = 10000000 where scope = 'key' and scope_id = $1", [key.id]);
  bed.round();
  const later = await bed.settled(userId, states.length + 1);
  expect(later.length - states.length).toBe(1);
  expect(bed.receiver.heard.at(-1)?.body).toMatchObject({ type: 'budget.reached', data: { percent: 100 } });
});

test('whoever buys automatically is told once that the month’s amount is used up, and again after it was changed', async () => {
  const { userId, headers } = await someone();
  await add(OWN, headers, { channel: 'webhook', target: bed.receiver.url, kinds: ['top_up.ceiling', 'key.expiring'] });
  await plantCeiling(userId, userId, 'created');
  const plantExpiring = () =>
    bed.rows(
      `insert into api_keys (id, hash, name, key_type, user_id, account_id, prefix, suffix, created_at, expires_at)
       values ($1, sha256($1::text::bytea), 'soon', 'standard', $2, $2, 'sk-tg-', 'abcd', $3, $3::timestamptz + interval '1 day')`,
      [newId('key'), userId, new Date(bed.clock.nowMs())],
    );
  /** Each look reports another key, so the test knows that it has happened. */
  const look = async (told: number): Promise<readonly unknown[]> => {
    await plantExpiring();
    bed.round();
    return kindsOf(await bed.settled(userId, told)).filter((kind) => kind === 'top_up.ceiling');
  };
  // Work under way may raise the balance.
  expect(await look(1)).toEqual([]);
  for (const change of ["state = 'paying', paid_at = now()", "state = 'paid'"]) {
    await bed.rows(`update top_up_orders set ${change} where account_id = $1`, [userId]);
  }
  expect(await look(3)).toHaveLength(1);
  const { data } = bed.receiver.heard.map(({ body }) => body).find(({ type }) => type === 'top_up.ceiling') as {
    data: Json;
  };
  // The job that credits payments may run in between.
  expect(data).toMatchObject({ boughtUsd: '50', monthMaxUsd: '60', balanceUsd: expect.stringMatching(/^1[05]0$/) });
  expect(await look(4)).toHaveLength(1);
  // Another amount that the next purchase would exceed: with one that it fits, the gateway would buy.
  await bed.rows('update automatic_top_ups set month_max_nano_usd = 70000000000 where account_id = $1', [userId]);
  expect(await look(6)).toHaveLength(2);
});

test('an address that does not hear is told again later, and the log says how it went', async () => {
  const { userId, headers } = await someone();
  const { id } = await add(OWN, headers, { channel: 'slack', target: bed.receiver.url, kinds: ['key.expiring'] });
  bed.receiver.answerWith((response, times) => response.writeHead(times === 1 ? 500 : 200).end());
  expect((await bed.ask('POST', `${OWN}/addresses/${id}/test`, headers, {})).status).toBe(204);
  await expect.poll(() => bed.states(userId)).toMatchObject([{ state: 'waiting', attempts: 1, failure: 'status 500' }]);
  bed.clock.move(10_001);
  expect(await bed.settled(userId, 1)).toMatchObject([{ state: 'sent', attempts: 2 }]);
  const { log } = (await bed.ask('GET', OWN, headers)).body as { log: Json[] };
  expect(log).toMatchObject([{ kind: 'test', title: 'A test', addressId: id, state: 'sent', attempts: 2 }]);
  expect(bed.receiver.heard[0]?.body).toEqual({ text: expect.stringContaining('*A test*') });

  // A name does not mention anybody in a chat.
  await bed.rows(
    `insert into api_keys (id, hash, name, key_type, user_id, account_id, prefix, suffix, created_at, expires_at)
     values ($1, sha256($1::text::bytea), '<!channel>', 'standard', $2, $2, 'sk-tg-', 'abcd', $3, $3::timestamptz + interval '1 day')`,
    [newId('key'), userId, new Date(bed.clock.nowMs())],
  );
  bed.round();
  await bed.settled(userId, 2);
  expect(JSON.stringify(bed.receiver.heard.at(-1)?.body)).toContain('&lt;!channel&gt;');
});

test('an address that is switched off gets nothing more, not even what it did not hear before', async () => {
  const { userId, headers } = await someone();
  const { id } = await add(OWN, headers, { channel: 'slack', target: bed.receiver.url, kinds: ['key.expiring'] });
  bed.receiver.answerWith((response) => response.writeHead(500).end());
  await bed.ask('POST', `${OWN}/addresses/${id}/test`, headers, {});
  await expect.poll(() => bed.states(userId)).toMatchObject([{ state: 'waiting', failure: 'status 500' }]);
  await bed.ask('PATCH', `${OWN}/addresses/${id}`, headers, { enabled: false });
  bed.clock.move(10_001);
  expect(await bed.settled(userId, 1)).toMatchObject([{ state: 'given_up', failure: 'switched off' }]);
  expect(bed.receiver.heard).toHaveLength(1);
});

test('a webhook that is told again is told by the same id, and signed at the time of the attempt', async () => {
  const { userId, headers } = await someone();
  const { id, secret } = await add(OWN, headers, {
    channel: 'webhook',
    target: bed.receiver.url,
    kinds: ['batch.ended'],
  });
  bed.receiver.answerWith((response, times) => response.writeHead(times === 1 ? 500 : 200).end());
  await bed.ask('POST', `${OWN}/addresses/${id}/test`, headers, {});
  await expect.poll(() => bed.states(userId)).toMatchObject([{ state: 'waiting', attempts: 1 }]);
  bed.clock.move(3_600_000);
  await bed.settled(userId, 1);
  const [first, again] = bed.receiver.heard.map(({ headers: sent }) => sent as Record<string, string>);
  // Whoever has taken the first one recognizes the second, and it is not too old for those who have not.
  expect(again?.['webhook-id']).toBe(first?.['webhook-id']);
  expect(Number(again?.['webhook-timestamp'])).toBeGreaterThanOrEqual(Number(first?.['webhook-timestamp']) + 3_600);
  const verifyAt = (ms: number) => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(ms);
    const verified = () => new Webhook(String(secret)).verify(JSON.stringify(bed.receiver.heard[1]?.body), again ?? {});
    try {
      return verified();
    } finally {
      clock.mockRestore();
    }
  };
  expect(verifyAt(Number(again?.['webhook-timestamp']) * 1_000)).toMatchObject({ type: 'test' });
});

test('SSRF-1 an address that is not public, or not https, is refused', async () => {
  const { headers } = await someone();
  for (const target of [
    'http://hooks.example/x',
    'https://127.0.0.1/x',
    'https://169.254.169.254/latest',
    'https://[::1]/x',
    'https://localhost/x',
    'https://user:pass@hooks.example/x',
    'https://hooks.example:22/x',
  ]) {
    for (const channel of ['webhook', 'slack']) {
      const wish = { channel, target, kinds: ['batch.ended'] };
      const answer = await bed.ask('POST', `${OWN}/addresses`, headers, wish);
      expect([channel, target, answer.status]).toEqual([channel, target, 400]);
      expect((answer.body.error as Json).message).toMatch(/^target: /);
    }
  }
});

test('SSRF-2 a name that leads here by the time it is called reaches nothing', async () => {
  const { userId, headers } = await someone();
  const trap = await setTrap();
  const target = `https://rebinding.example:${trap.port}/x`;
  const webhook = await add(OWN, headers, { channel: 'webhook', target, kinds: ['batch.ended'] });
  const slack = await add(OWN, headers, { channel: 'slack', target, kinds: ['batch.ended'] });
  for (const { id } of [webhook, slack]) await bed.ask('POST', `${OWN}/addresses/${id}/test`, headers, {});
  const refused = { state: 'given_up', failure: 'forbidden' };
  expect(await bed.settled(userId, 2)).toMatchObject([refused, refused]);
  expect(trap.hits()).toBe(0);
  await trap.close();
});

test('mails go to oneself and to members, as long as they are', async () => {
  const mails = (recipient: string) =>
    bed.rows("select id from mail_outbox where recipient = $1 and created_at > now() - interval '1 hour'", [recipient]);
  const { headers, userId, email, orgId } = await organization();
  const stranger = await person(bed.harness, 'stranger');
  const own = await add(OWN, headers, { channel: 'mail', kinds: ['balance.low'] });
  expect(own.shown).toBe(email);
  const before = (await mails(email)).length;
  await bed.ask('POST', `${OWN}/addresses/${own.id}/test`, headers, {});
  expect(await bed.settled(userId, 1)).toMatchObject([{ state: 'sent' }]);
  expect((await mails(email)).length).toBe(before + 1);

  const base = `/api/orgs/${orgId}/notices`;
  const wish = { channel: 'mail', target: stranger.email, kinds: ['balance.low'] };
  expect((await bed.ask('POST', `${base}/addresses`, headers, wish)).status).toBe(400);
  expect((await bed.ask('POST', `${OWN}/addresses`, headers, wish)).status).toBe(400);
  const memberId = await addMember(bed.harness, { orgId, teamId: null, userId: stranger.userId, role: 'member' });
  const { id } = await add(base, headers, wish);
  await bed.rows('delete from org_members where id = $1', [memberId]);
  await bed.ask('POST', `${base}/addresses/${id}/test`, headers, {});
  expect(await bed.settled(orgId, 1)).toMatchObject([{ state: 'given_up', failure: 'no recipient' }]);
  expect(await mails(stranger.email)).toEqual([]);
});

test('a mail to what is no address is given up at once', async () => {
  const { headers, userId } = await someone();
  const { id } = await add(OWN, headers, { channel: 'mail', kinds: ['balance.low'] });
  await bed.rows("update users set email = ' ' || email || chr(10) where id = $1", [userId]);
  await bed.ask('POST', `${OWN}/addresses/${id}/test`, headers, {});
  expect(await bed.settled(userId, 1)).toMatchObject([{ state: 'given_up', failure: 'no mail address', attempts: 1 }]);
});

test('an organization hears of its members’ and teams’ budgets, and its log of who chose what, without the address', async () => {
  const { headers, userId, orgId } = await organization();
  const base = `/api/orgs/${orgId}/notices`;
  await bed.harness.operate('POST', `/admin/v1/orgs/${orgId}/credits`, { amountUsd: 10, note: 'test' });
  const address = await add(base, headers, { channel: 'slack', target: bed.receiver.url, kinds: ['budget.reached'] });
  const [member] = await bed.rows<{ id: string }>('select id from org_members where org_id = $1', [orgId]);
  const path = `/v1/orgs/${orgId}/members/${member?.id}`;
  expect((await bed.ask('PATCH', path, headers, { monthlyBudget: 1 })).status).toBe(200);
  const { key } = await orgKey(bed.harness, orgId, { userId, email: '' }, 'standard');
  expect((await bed.harness.chat(String(key), { model: 'openai/test' })).status).toBe(200);
  await bed.rows("update spend_counters set spent_nano_usd = 1000000000 where scope = 'member' and scope_id = $1", [
    member?.id,
  ]);
  bed.round();
  expect(await bed.settled(orgId, 1)).toMatchObject([{ kind: 'budget.reached', state: 'sent' }]);
  await bed.ask('DELETE', `${base}/addresses/${address.id}`, headers);
  const log = await bed.ask('GET', `/api/orgs/${orgId}/audit-log`, headers);
  const actions = (log.body.entries as Json[]).map(({ action }) => action);
  expect(actions).toEqual(expect.arrayContaining(['org.notice_address.create', 'org.notice_address.delete']));
  expect(log.text).not.toContain('token=secret');
});

test('nobody is told more than so much in a day, and tests are counted for their owner', async () => {
  const { userId, headers } = await someone();
  const { id } = await add(OWN, headers, { channel: 'webhook', target: bed.receiver.url, kinds: ['key.expiring'] });
  await bed.rows(
    `insert into api_keys (id, hash, name, key_type, user_id, account_id, prefix, suffix, created_at, expires_at)
     select $1 || n, sha256(($1 || n)::bytea), 'k', 'standard', $2, $2, 'sk-tg-', 'abcd', $3, $3::timestamptz + interval '1 day'
     from generate_series(1, 110) n`,
    [newId('key'), userId, new Date(bed.clock.nowMs())],
  );
  bed.round();
  await expect.poll(async () => (await bed.states(userId)).length, PATIENCE).toBe(110);
  expect((await bed.states(userId)).filter(({ state }) => state === 'held_back')).toHaveLength(10);
  await bed.ask('DELETE', `${OWN}/addresses/${id}`, headers);
  const statuses: number[] = [];
  for (let round = 0; round < 31; round += 1) {
    const wish = { channel: 'slack', target: bed.receiver.url, kinds: ['batch.ended'] };
    const again = await add(OWN, headers, wish);
    statuses.push((await bed.ask('POST', `${OWN}/addresses/${again.id}/test`, headers, {})).status);
    await bed.ask('DELETE', `${OWN}/addresses/${again.id}`, headers);
  }
  expect(statuses.slice(-2)).toEqual([204, 429]);
});

test('the operator hears of providers in trouble and of books that differ', async () => {
  const { kinds } = (await bed.ask('GET', '/admin/v1/notices', operator)).body;
  await add('/admin/v1/notices', operator, { channel: 'webhook', target: bed.receiver.url, kinds });
  const { userId, key } = await bed.harness.account();
  for (let call = 0; call < 8; call += 1) await bed.harness.chat(key, { model: 'acme/dead' });
  await expect.poll(async () => kindsOf(await bed.states(''))).toContain('provider.failing');
  await bed.rows(
    'update accounts set balance_nano_usd = balance_nano_usd + 1, total_credited_nano_usd = total_credited_nano_usd + 1 where id = $1',
    [userId],
  );
  bed.clock.move(86_400_000);
  bed.round();
  await expect.poll(async () => kindsOf(await bed.states('')), PATIENCE).toContain('books.differ');
  await bed.settled('', 2);
  const differs = bed.receiver.heard.find(({ body }) => body.type === 'books.differ');
  expect(differs?.body).toMatchObject({
    data: { discrepancies: expect.any(Number), first: expect.stringContaining(userId) },
  });
  // A receiver that answers late may hear the same again.
  const failing = bed.receiver.heard.filter(({ body }) => body.type === 'provider.failing');
  expect(new Set(failing.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});
