// A person whom the directory of an organization has deactivated is let in again by the directory alone.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTown, PASSWORD, type Town } from '../signin/people.ts';
import { askScim, type Company, oktaUser, openCompany, PATCH_SCHEMA } from './scim-client.ts';

let town: Town;
let acme: Company;

beforeAll(async () => {
  town = await openTown();
  acme = await openCompany(town, 'acme.example');
}, 120_000);

afterAll(() => town?.close());

test('whoever is deactivated comes in by no invitation, and nobody else adds them', async () => {
  const { userId, browser } = await town.operatorUser();
  const email = 'gone@acme.example';
  await town.rows('update users set email = $2, email_normalized = $2 where id = $1', [userId, email]);
  const scim = (method: string, path: string, body: unknown) =>
    askScim(town.harness, { token: acme.token, method, path, body });
  const { id } = (await scim('POST', '/Users', oktaUser(acme, { userName: email, emails: [] }))).body;
  const setActive = (active: boolean) =>
    scim('PATCH', `/Users/${id}`, { schemas: [PATCH_SCHEMA], Operations: [{ op: 'replace', value: { active } }] });
  await setActive(false);
  expect((await browser.post('/api/auth/login', { email, password: PASSWORD })).status).toBe(200);
  const invitation = await acme.admin.post(`/api/orgs/${acme.orgId}/invitations`, { email });
  expect(invitation.status, invitation.text).toBe(201);
  expect((await browser.post('/api/invitations/accept', { id: invitation.body.id })).status).toBe(403);
  expect((await acme.admin.post(`/v1/orgs/${acme.orgId}/members`, { email })).status).toBe(403);
  expect((await browser.get('/v1/orgs')).body.orgs).toEqual([]);
  await setActive(true);
  await browser.post('/api/auth/login', { email, password: PASSWORD });
  expect((await browser.get('/v1/orgs')).body.orgs).toMatchObject([{ id: acme.orgId, role: 'member' }]);
});
