// An issuer is a stranger's server, and may say nothing at all when it is asked whether it still knows somebody. That must
// not keep people in whom another issuer has let go.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from './browser.ts';
import { openParts, openTown, type Town } from './people.ts';
import { begin, hire, locationOf, makeOrganization, type Organization } from './sign-on-bed.ts';

const PEOPLE = 12;
/** Of one organization. */
const ASKED_AT_ONCE = 10;

const records = new Map<string, string>();
let town: Town;
let silent: Organization;
let honest: Organization;

beforeAll(async () => {
  const resolveTxt = async (name: string): Promise<string[][]> => [[records.get(name) ?? '']];
  town = await openTown({ env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' }, start: { resolveTxt } });
  silent = await makeOrganization(town, records, 'silent.example');
  honest = await makeOrganization(town, records, 'honest.example');
});

afterAll(async () => {
  await silent?.issuer.close();
  await honest?.issuer.close();
  await town.close();
});

async function signOn(organization: Organization): Promise<{ subject: string; browser: Browser }> {
  const { subject, email } = hire(organization);
  const browser = town.browser();
  const back = await organization.issuer.visit(locationOf(await begin(browser, email)), subject);
  await browser.get(back.replace(town.harness.url, ''));
  return { subject, browser };
}

/** Whoever asks too often is refused as well, with another status. */
const statusOf = async (browser: Browser): Promise<number> => (await browser.get('/api/auth/session')).status;
const isIn = async (browser: Browser): Promise<boolean> => (await statusOf(browser)) === 200;

test('DOS-1 people are asked about at the same time, so that one issuer that hangs delays nobody else’s, and few of each organization', async () => {
  const staying: Browser[] = [];
  for (let person = 0; person < PEOPLE; person += 1) staying.push((await signOn(silent)).browser);
  const leaving = await signOn(honest);
  town.clock.move(601_000);
  for (const browser of [...staying, leaving.browser]) expect(await isIn(browser)).toBe(true);
  honest.issuer.people.delete(leaving.subject);
  silent.issuer.isHanging = true;
  const parts = await openParts(town);
  const round = parts.signOn.checkDue();
  // As many as may still wait when the one who left is out.
  const seen = async () => [await statusOf(leaving.browser), silent.issuer.waiting.size];
  await expect.poll(seen).toEqual([401, ASKED_AT_ONCE]);
  for (const response of silent.issuer.waiting) response.destroy();
  await round;
  for (const browser of staying) expect(await isIn(browser)).toBe(true);
  // An issuer that answers is asked about everybody in one round, however many they are.
  silent.issuer.isHanging = false;
  silent.issuer.people.clear();
  town.clock.move(601_000);
  for (const browser of staying) await browser.get('/api/auth/session');
  await parts.signOn.checkDue();
  for (const browser of staying) expect(await isIn(browser)).toBe(false);
  await parts.close();
});
