// A victim's day, once in peace and once with strangers who know the address and have any number of accounts. They try
// everything there is; what the victim is answered, charged, listed and blocked for must be the same, and the mailbox may
// hold no more than is promised.

import { expect, test } from 'vitest';
import type { Browser } from '../signin/browser.ts';
import { openTown, PASSWORD, type Town } from '../signin/people.ts';

const STRANGERS = 4;
const MODEL = 'openai/test';
const FREE = 'openai/gift';

type Victim = Readonly<{ browser: Browser; address: string; userId: string; key: string }>;

const open = (): Promise<Town> =>
  openTown({
    env: { TOLLGATE_CLIENT_IP_HEADER: 'x-real-ip', TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' },
    models: {
      [MODEL]: {},
      [FREE]: { entry: { free: { requests_per_minute: 100, requests_per_day: 5 } } },
    },
  });

let lastSource = 0;
const newSource = (): Record<string, string> => {
  lastSource += 1;
  return { 'X-Real-IP': `198.51.${lastSource >> 8}.${lastSource & 255}` };
};

async function victimOf(town: Town): Promise<Victim> {
  const { browser, address, userId } = await town.operatorUser();
  const { harness } = town;
  await harness.operate('POST', `/admin/v1/users/${userId}/credits`, { amountUsd: 20, note: 'test' });
  const made = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'own', keyType: 'standard' });
  return { browser, address, userId, key: String(made.key) };
}

/** What the victim sees of the gateway. Moments and ids differ from day to day and are left out. */
async function dayOf(town: Town, { browser, address, key }: Victim): Promise<Record<string, unknown>> {
  const { harness } = town;
  const calls: unknown[] = [];
  for (let call = 0; call < 3; call += 1) {
    const { status, headers, body } = await harness.chat(key, { model: MODEL });
    calls.push([status, headers.get('x-ratelimit-limit'), (body.usage as { cost?: number } | undefined)?.cost]);
  }
  const free: number[] = [];
  for (let call = 0; call < 5; call += 1) {
    free.push((await harness.chat(key, { model: FREE }, { 'x-tollgate-free-fallback': 'false' })).status);
  }
  const held = await browser.get('/api/account/held');
  const keys = await browser.get('/api/account/keys');
  const signedIn = await browser.request(
    'POST',
    '/api/auth/login',
    { email: address, password: PASSWORD },
    newSource(),
  );
  return {
    calls,
    free,
    credits: (await harness.request('GET', '/v1/credits', { key })).body,
    organizations: (await browser.get('/v1/orgs')).body,
    held: [held.body.organizations, held.body.evidence],
    keys: (keys.body.keys as { name: string }[]).map(({ name }) => name),
    signedIn: [signedIn.status, (signedIn.body.organizations as unknown[]).length],
    session: (await browser.get('/api/auth/session')).status,
  };
}

/** Everything a stranger can do with an address, by one of them. */
async function attack(town: Town, { address, userId }: Victim): Promise<void> {
  const { browser } = await town.operatorUser();
  for (let org = 0; org < 2; org += 1) {
    const orgId = String((await browser.post('/api/orgs', { name: 'Win at https://evil.example/now' })).body.id);
    await browser.post(`/v1/orgs/${orgId}/members`, { email: address, role: 'org_admin' });
    await browser.post(`/api/orgs/${orgId}/invitations`, { email: address });
    await browser.post(`/v1/orgs/${orgId}/members`, { email: address.toUpperCase() });
    await browser.post(`/api/orgs/${orgId}/keys`, { name: 'framed', userId });
    await browser.request('PATCH', `/api/orgs/${orgId}/edu/config`, {
      allowedDomains: [address.slice(address.indexOf('@') + 1)],
    });
    const made = await browser.post(`/api/orgs/${orgId}/edu/keys`, { name: 'course' });
    await town.harness.request('POST', '/api/edu/request-code', {
      body: { key: made.body.key, email: address },
      headers: newSource(),
    });
  }
  const guest = town.browser();
  for (let round = 0; round < 6; round += 1) {
    await guest.request('POST', '/api/auth/login', { email: address, password: `guess ${round}` }, newSource());
    await guest.request('POST', '/api/auth/signup', { email: address, name: 'Squatter' }, newSource());
    await guest.request('POST', '/api/auth/forgot-password', { email: address }, newSource());
  }
  const folded = address.replace('person', 'per\u017Fon');
  await guest.request('POST', '/api/auth/signup', { email: folded, name: 'Squatter' }, newSource());
  await browser.post('/api/invitations/accept', { id: 'inv-unknown' });
}

test('strangers who try everything change nothing of a victim s day', { timeout: 240_000 }, async () => {
  const quietTown = await open();
  const quiet = await dayOf(quietTown, await victimOf(quietTown));
  await quietTown.close();

  const town = await open();
  try {
    const victim = await victimOf(town);
    for (let stranger = 0; stranger < STRANGERS; stranger += 1) await attack(town, victim);
    expect(await dayOf(town, victim)).toEqual(quiet);

    await expect
      .poll(() => town.rows("select 1 from mail_outbox where state = 'waiting'"), { timeout: 30_000 })
      .toEqual([]);
    const subjects = (await town.mails(victim.address)).map((mail) => /^Subject: (.*)$/m.exec(mail)?.[1] ?? '');
    const count = (part: string): number => subjects.filter((subject) => subject.includes(part)).length;
    expect(count('Invitation')).toBe(1);
    expect(count('already have')).toBeLessThanOrEqual(2);
    expect(count('new Tollgate password')).toBeLessThanOrEqual(2);
    expect(subjects).toHaveLength(1 + count('already have') + count('new Tollgate password'));
    for (const mail of await town.mails(victim.address)) expect(mail).not.toContain('evil.example');
    expect(await town.harness.ledgerCheck()).toMatchObject({ ok: true });
  } finally {
    await town.close();
  }
});
