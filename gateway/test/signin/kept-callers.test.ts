// A sign-in through an organization's issuer makes no caller of the organization be looked up again but those of a
// person whose place it has changed. A key that is switched off behind the gateway's back shows who was looked up.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { openTown, type Town } from './people.ts';
import { begin, hire, locationOf, makeOrganization, type Organization } from './sign-on-bed.ts';

const records = new Map<string, string>();
let town: Town;
let acme: Organization;

beforeAll(async () => {
  const resolveTxt = async (name: string): Promise<string[][]> => [[records.get(name) ?? 'none']];
  town = await openTown({ env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' }, start: { resolveTxt } });
  acme = await makeOrganization(town, records, 'acme.example');
});

afterAll(async () => {
  await acme?.issuer.close();
  await town.close();
});

type Person = Readonly<{ subject: string; email: string }>;

async function signOn({ subject, email }: Person): Promise<string> {
  const browser = town.browser();
  const back = await acme.issuer.visit(locationOf(await begin(browser, email)), subject);
  expect(locationOf(await browser.get(back.replace(town.harness.url, '')))).toMatch(/\/console\/$/);
  return String(((await browser.get('/api/auth/session')).body.user as Json).id);
}

const isCaller = async (key: string): Promise<boolean> =>
  (await town.harness.chat(key, { model: 'nobody/nothing' })).status !== 401;

/** Somebody with a key of the organization that the gateway remembers as usable, and that no longer is. */
async function remembered(): Promise<Readonly<{ person: Person; key: string }>> {
  const person = hire(acme);
  const userId = await signOn(person);
  const made = await town.harness.operate('POST', `/admin/v1/orgs/${acme.orgId}/keys`, { name: 'k', userId });
  const key = String(made.key);
  expect(await isCaller(key)).toBe(true);
  await town.rows('update api_keys set revoked_at = now() where id = $1', [made.id]);
  return { person, key };
}

test('nobody is looked up again after a sign-in that changes nothing', async () => {
  const [one, other] = [await remembered(), await remembered()];
  await signOn(one.person);
  expect([await isCaller(one.key), await isCaller(other.key)]).toEqual([true, true]);
});

test('whoever gets another place is looked up again, and nobody else', async () => {
  const [one, other] = [await remembered(), await remembered()];
  acme.issuer.people.set(one.person.subject, {
    ...{ email: one.person.email, email_verified: true, groups: ['engineers'] },
  });
  await signOn(one.person);
  expect([await isCaller(one.key), await isCaller(other.key)]).toEqual([false, true]);
});

test('a newcomer makes nobody be looked up again', async () => {
  const { key } = await remembered();
  await signOn(hire(acme));
  expect(await isCaller(key)).toBe(true);
});
