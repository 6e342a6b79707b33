// What directories send that cannot be stored or asked for as it is: an address is kept as one that mails can go to, and
// a filter that nothing can fit is refused.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTown, type Town } from '../signin/people.ts';
import { askScim, type Company, oktaUser, openCompany, PATCH_SCHEMA } from './scim-client.ts';

let town: Town;
let acme: Company;

beforeAll(async () => {
  town = await openTown();
  acme = await openCompany(town, 'acme.example');
}, 120_000);

afterAll(() => town?.close());

const scim = (method: string, path: string, body?: unknown) =>
  askScim(town.harness, { token: acme.token, method, path, body });

test('an address that comes with blanks around it is kept without them', async () => {
  const { id } = (await scim('POST', '/Users', oktaUser(acme))).body;
  const address = 'moved@acme.example';
  const change = { op: 'replace', path: 'emails[type eq "work"].value', value: ` ${address}\n` };
  const changed = await scim('PATCH', `/Users/${id}`, { schemas: [PATCH_SCHEMA], Operations: [change] });
  expect(changed.status, changed.text).toBe(200);
  const stored = await town.rows('select email from users where email_normalized = $1', [address]);
  expect(stored).toEqual([{ email: address }]);
});

test.each([
  ['/Users', 'userName'],
  ['/Groups', 'displayName'],
])('a filter of %s with a NUL is refused', async (path, attribute) => {
  const filter = `${attribute} eq "a\\u0000b"`;
  const listed = await scim('GET', `${path}?filter=${encodeURIComponent(filter)}`);
  const searched = await scim('POST', `${path}/.search`, { filter });
  for (const { status, body } of [listed, searched]) expect([status, body.scimType]).toEqual([400, 'invalidFilter']);
});
