// A victim's day, once in peace and once with strangers who know the address and have any number of accounts. They try
// everything there is; the victim's answers, charges, lists and blocks must be the same on both days, and the mailbox
// may get no more mails than promised.

import { expect, test } from 'vitest';
import type { Browser } from '../signin/browser.ts';
import { openTown, PASSWORD, type Town } from '../signin/people.ts';

const STRANGERS = 2;
const MODEL = 'openai/test';
const FREE = 'openai/gift';

type Victim = Readonly<{ browser: Browser; address: string; userId: string; key: string }>;

const open = (): Promise<Town> =>
  openTown({
    env: { TOLLGATE_CLIENT_IP_HEADER: 'x-real-ip', TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' },
    models: {
      [MODEL]: {},
      [FREE]: { entry: { free: { requests_per_minute: 100, requests_per_day: 1 } } },
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
  await harness.operate('POST', `/admin/v1/users/${userId}/credits`, { amountUsd: 5, note: 'test' });
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
  // More than the day has.
  for (let call = 0; call < 6; call += 1) {
    free.push((await harness.chat(key, { model: FREE }, { 'X-Free-Fallback': 'false' })).status);
  }
  const held = await browser.get('/api/account/held');
  const keys = await browser.get('/api/account/keys');
  const signedIn = await browser.request(
    'POST',
    '/api/auth/login',
    { email: address, password: PASSWORD },
    newSource(),
  );
  const { accountId: _accountId, ...exposure } = (await harness.request('GET', '/v1/account/exposure', { key })).body;
  const seen = {
    calls,
    free,
    credits: (await harness.request('GET', '/v1/credits', { key })).body,
    exposure,
    statement: ((await browser.get('/v1/statement')).body.entries as unknown[]).length,
    organizations: (await browser.get('/v1/orgs')).body,
    held: [held.body.organizations, held.body.evidence],
    keys: (keys.body.keys as { name: string }[]).map(({ name }) => name),
    notices: (await browser.get('/api/account/notices')).body,
    signedIn: [signedIn.status, (signedIn.body.organizations as unknown[]).length],
    session: (await browser.get('/api/auth/session')).status,
  };
  return { ...seen, newPassword: await setNewPassword(town, browser, address) };
}

/** From the device that the victim has signed in with before. */
async function setNewPassword(town: Town, browser: Browser, address: string): Promise<number[]> {
  const before = (await town.mails(address)).length;
  const asked = await browser.request('POST', '/api/auth/forgot-password', { email: address }, newSource());
  await expect.poll(async () => (await town.mails(address)).length).toBeGreaterThan(before);
  const token = /#token=([\w-]+)/.exec((await town.mails(address)).at(-1) ?? '')?.[1];
  const next = { token, password: 'another long password' };
  const reset = await browser.request('POST', '/api/auth/reset-password', next, newSource());
  const login = { email: address, password: next.password };
  const signedIn = await browser.request('POST', '/api/auth/login', login, newSource());
  return [asked.status, reset.status, signedIn.status];
}

/** An organization of a stranger, with the victim's name in every field that takes one. */
async function attackByOrganization(town: Town, browser: Browser, { address, userId }: Victim): Promise<void> {
  const orgId = String((await browser.post('/api/orgs', { name: 'Win at https://evil.example/now' })).body.id);
  const domain = address.slice(address.indexOf('@') + 1);
  const org = `/api/orgs/${orgId}`;
  await browser.post(`/v1/orgs/${orgId}/members`, { email: address, role: 'org_admin' });
  await browser.post(`${org}/invitations`, { email: address });
  await browser.post(`/v1/orgs/${orgId}/members`, { email: address.toUpperCase() });
  for (let tag = 0; tag < 3; tag += 1) {
    await browser.post(`${org}/invitations`, { email: address.replace('@', `+${tag}@`) });
  }
  const { body: open } = await browser.get(`${org}/invitations`);
  const [first] = open.invitations as { id: string }[];
  await browser.request('DELETE', `${org}/invitations/${first?.id}`);
  await browser.post(`${org}/invitations`, { email: address });
  await browser.post(`${org}/keys`, { name: 'framed', userId });
  await browser.post(`${org}/keys`, { name: 'framed', userId, keyType: 'management' });
  await browser.post(`${org}/notices/addresses`, { channel: 'mail', target: address, kinds: ['balance.low'] });
  await browser.post(`${org}/domains`, { domain });
  await browser.post(`${org}/domains/${domain}/check`, {});
  await browser.request('PATCH', `${org}/edu/config`, { allowedDomains: [domain] });
  for (let key = 0; key < 3; key += 1) {
    const made = await browser.post(`${org}/edu/keys`, { name: `course ${key}` });
    await town.harness.request('POST', '/api/edu/request-code', {
      body: { key: made.body.key, email: address },
      headers: newSource(),
    });
  }
}

/** Everything a stranger can do with an address, by one of them. */
async function attack(town: Town, victim: Victim): Promise<void> {
  const { address } = victim;
  const { browser } = await town.operatorUser();
  for (let org = 0; org < 2; org += 1) await attackByOrganization(town, browser, victim);
  await browser.post('/api/account/notices/addresses', { channel: 'mail', target: address, kinds: ['balance.low'] });
  const guest = town.browser();
  for (let round = 0; round < 6; round += 1) {
    const tagged = address.replace('@', `+${round}@`);
    await Promise.all([
      guest.request('POST', '/api/auth/login', { email: address, password: `guess ${round}` }, newSource()),
      guest.request('POST', '/api/auth/signup', { email: address, name: 'Squatter' }, newSource()),
      guest.request('POST', '/api/auth/signup', { email: tagged, name: 'Squatter' }, newSource()),
      guest.request('POST', '/api/auth/forgot-password', { email: address }, newSource()),
      guest.request('POST', '/api/auth/forgot-password', { email: tagged }, newSource()),
      guest.request('POST', '/api/auth/reset-password', { token: 'A'.repeat(43), password: PASSWORD }, newSource()),
    ]);
  }
  // A flood of sign-ins and sign-ups from one address, and invalid keys.
  const source = newSource();
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const login = { email: `nobody-${index}@example.test`, password: PASSWORD };
      await guest.request('POST', '/api/auth/login', login, source);
      await guest.request('POST', '/api/auth/signup', { email: login.email, name: 'Squatter' }, source);
      await town.harness.request('GET', '/v1/key', { key: `sk-tg-${index}` });
    }),
  );
  const folded = address.replace('person', 'per\u017Fon');
  await guest.request('POST', '/api/auth/signup', { email: folded, name: 'Squatter' }, newSource());
  await browser.post('/api/invitations/accept', { id: 'inv-unknown' });
}

test('strangers who try everything change nothing of a victim s day', async () => {
  const quietTown = await open();
  const quiet = await dayOf(quietTown, await victimOf(quietTown));
  await quietTown.close();

  const town = await open();
  try {
    const victim = await victimOf(town);
    for (let stranger = 0; stranger < STRANGERS; stranger += 1) await attack(town, victim);
    expect(await dayOf(town, victim)).toEqual(quiet);

    await expect.poll(() => town.rows("select 1 from mail_outbox where state = 'waiting'")).toEqual([]);
    const subjects = (await town.mails(victim.address)).map((mail) => /^Subject: (.*)$/m.exec(mail)?.[1] ?? '');
    const count = (part: string): number => subjects.filter((subject) => subject.includes(part)).length;
    expect(count('Invitation')).toBe(1);
    // The victim's own, and one with a link that anybody can have sent.
    expect(count('already have') + count('new Tollgate password')).toBe(2);
    expect(count('was changed')).toBe(1);
    expect(subjects, subjects.join()).toHaveLength(4);
    for (const mail of await town.mails(victim.address)) expect(mail).not.toContain('evil.example');
    const tagged = await town.rows("select recipient from mail_outbox where recipient like 'person-%+%'");
    expect(tagged).toEqual([]);
    expect(await town.harness.ledgerCheck()).toMatchObject({ ok: true });
  } finally {
    await town.close();
  }
});
