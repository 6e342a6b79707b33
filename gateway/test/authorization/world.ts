// Everybody who may call, made once: Ann, who administers Acme and owns the things that the routes are asked about;
// Bob, who has the same elsewhere; the other roles in Acme; and those who should never get in. Roles hold management
// keys of their organization, so that the role decides and not the kind of key.

import { OPERATOR_ROLES, type OperatorRole } from '../../src/canonical/caller.ts';
import { plantSession } from '../edu/plant-session.ts';
import { ADMIN_TOKEN, type Harness, type Json } from '../harness.ts';
import { rows } from '../identity/rows.ts';
import { codeOf } from '../signin/authenticator-app.ts';
import { signIn } from './sign-in.ts';

export const kinds = [
  'none',
  'bad',
  'disabled',
  'revoked',
  'expired',
  'standardOwn',
  'standardForeign',
  'managementOwn',
  'managementForeign',
  'member',
  'teamAdmin',
  'billingViewer',
  'orgAdmin',
  'student',
  'cookie',
  'directory',
  'operator',
] as const;
export type Kind = (typeof kinds)[number];

export type Person = Readonly<{ userId: string; email: string }>;
export type Organization = Readonly<{ orgId: string; teamId: string; memberIds: ReadonlyMap<string, string> }>;

export type World = Readonly<{
  harness: Harness;
  ann: Person;
  bob: Person;
  mia: Person;
  acme: Organization;
  globex: Organization;
  headers: Readonly<Record<Kind, Record<string, string>>>;
  /** What operators send who come with a session: some by name, each with a role of their own. */
  operators: ReadonlyMap<OperatorRole, Record<string, string>>;
  /** Not one of the kinds: who makes Globex's things. */
  globexAdmin: Record<string, string>;
  annsGenerationId: string;
  /** The secret of somebody's authenticator app, and their recovery codes. */
  factors: readonly string[];
  /** What must never be in an answer to Bob. */
  annsMarks: readonly string[];
}>;

export const PASSWORD = 'correct horse battery';

export async function person(harness: Harness, name: string): Promise<Person> {
  const email = `${name}-${crypto.randomUUID()}@example.test`;
  const user = await harness.operate('POST', '/admin/v1/users', { email, name });
  return { userId: String(user.id), email };
}

/** With a password and credit. */
export async function customer(harness: Harness, name: string): Promise<Person> {
  const email = `${name}-${crypto.randomUUID()}@example.test`;
  const user = await harness.operate('POST', '/admin/v1/users', { email, name, password: PASSWORD });
  const userId = String(user.id);
  await harness.operate('POST', `/admin/v1/users/${userId}/credits`, { amountUsd: 100, note: 'start' });
  return { userId, email };
}

export async function userKey(harness: Harness, { userId }: Person, keyType: string): Promise<Json> {
  return harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'matrix', keyType });
}

export async function orgKey(harness: Harness, orgId: string, { userId }: Person, keyType: string): Promise<Json> {
  return harness.operate('POST', `/admin/v1/orgs/${orgId}/keys`, { name: 'matrix', keyType, userId });
}

/** With the founder as administrator, one team, and the others in it; past the routes, which are what is tested. */
export async function organization(
  harness: Harness,
  founder: Person,
  others: readonly (Person & Readonly<{ role: string }>)[],
): Promise<Organization> {
  const created = await harness.operate('POST', '/admin/v1/orgs', { name: 'Org', ownerUserId: founder.userId });
  const orgId = String(created.id);
  await harness.operate('POST', `/admin/v1/orgs/${orgId}/credits`, { amountUsd: 100, note: 'start' });
  const teamId = newId('team');
  await rows(harness.databaseUrl, 'insert into teams (id, org_id, name) values ($1, $2, $3)', [teamId, orgId, 'Team']);
  for (const { userId, role } of others) await addMember(harness, { orgId, teamId, userId, role });
  const members = await rows<{ id: string; user_id: string }>(
    harness.databaseUrl,
    'select id, user_id from org_members where org_id = $1',
    [orgId],
  );
  return { orgId, teamId, memberIds: new Map(members.map(({ id, user_id }) => [user_id, id])) };
}

export type NewMember = Readonly<{ orgId: string; teamId: string | null; userId: string; role: string }>;

export async function addMember(harness: Harness, { orgId, teamId, userId, role }: NewMember): Promise<string> {
  const id = newId('mem');
  await rows(
    harness.databaseUrl,
    'insert into org_members (id, org_id, user_id, role, team_id) values ($1, $2, $3, $4, $5)',
    [id, orgId, userId, role, teamId],
  );
  return id;
}

export const newId = (prefix: string): string => `${prefix}-${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;

const bearer = (token: unknown): Record<string, string> => ({ Authorization: `Bearer ${token}` });

export const provisioningToken = async (
  harness: Harness,
  orgId: string,
  headers: Record<string, string>,
): Promise<unknown> =>
  (await harness.request('POST', `/api/orgs/${orgId}/provisioning/tokens`, { headers, body: { name: 'own' } })).body
    .token;

export async function buildWorld(harness: Harness): Promise<World> {
  const ann = await customer(harness, 'ann');
  const bob = await customer(harness, 'bob');
  const [mia, tom, bill] = [await person(harness, 'mia'), await person(harness, 'tom'), await person(harness, 'bill')];
  const acme = await organization(harness, ann, [
    { ...mia, role: 'member' },
    { ...tom, role: 'team_admin' },
    { ...bill, role: 'billing_viewer' },
  ]);
  const globex = await organization(harness, bob, []);
  const ofAcme = async (holder: Person): Promise<Record<string, string>> =>
    bearer((await orgKey(harness, acme.orgId, holder, 'management')).key);
  const headers: Record<Kind, Record<string, string>> = {
    none: {},
    bad: bearer('sk-tg-wrong'),
    ...(await refusedKeys(harness, ann)),
    standardOwn: bearer((await userKey(harness, ann, 'standard')).key),
    standardForeign: bearer((await userKey(harness, bob, 'standard')).key),
    managementOwn: bearer((await userKey(harness, ann, 'management')).key),
    managementForeign: bearer((await userKey(harness, bob, 'management')).key),
    member: await ofAcme(mia),
    teamAdmin: await ofAcme(tom),
    billingViewer: await ofAcme(bill),
    orgAdmin: await ofAcme(ann),
    student: bearer((await plantSession(harness.databaseUrl, acme.orgId)).token),
    cookie: await signIn(harness, ann.email, PASSWORD),
    directory: bearer(await provisioningToken(harness, acme.orgId, await ofAcme(ann))),
    operator: bearer(ADMIN_TOKEN),
  };
  const globexAdmin = bearer((await orgKey(harness, globex.orgId, bob, 'management')).key);
  const annsMarks = [ann.userId, ann.email, acme.orgId, acme.teamId];
  const generation = await harness.request('POST', '/v1/chat/completions', {
    headers: headers.standardOwn,
    body: { model: 'openai/test', messages: [{ role: 'user', content: 'Hello.' }] },
  });
  const annsGenerationId = String(generation.body.id);
  const operators = new Map<OperatorRole, Record<string, string>>();
  for (const role of OPERATOR_ROLES) operators.set(role, await namedOperator(harness, role));
  const factors = await secondFactors(harness);
  return {
    operators,
    factors,
    harness,
    ann,
    bob,
    mia,
    acme,
    globex,
    headers,
    globexAdmin,
    annsGenerationId,
    annsMarks,
  };
}

/** Of somebody who has set up an app. */
async function secondFactors(harness: Harness): Promise<readonly string[]> {
  const headers = await signIn(harness, (await customer(harness, 'careful')).email, PASSWORD);
  const post = (path: string, body: Json) => harness.request('POST', `/api/auth/factors/${path}`, { headers, body });
  const { secret } = (await post('totp', { password: PASSWORD })).body;
  const confirmed = await post('totp/confirm', { code: codeOf(String(secret), Date.now()) });
  return [String(secret), ...(confirmed.body.recoveryCodes as string[])];
}

async function namedOperator(harness: Harness, role: OperatorRole): Promise<Record<string, string>> {
  const { email } = await customer(harness, role);
  await harness.operate('POST', '/admin/v1/operators', { email, role });
  return signIn(harness, email, PASSWORD);
}

async function refusedKeys(
  harness: Harness,
  holder: Person,
): Promise<Record<'disabled' | 'revoked' | 'expired', Record<string, string>>> {
  const [disabled, revoked, expired] = await Promise.all([1, 2, 3].map(() => userKey(harness, holder, 'management')));
  await harness.operate('PATCH', `/admin/v1/keys/${disabled?.id}`, { enabled: false });
  await harness.operate('DELETE', `/admin/v1/keys/${revoked?.id}`);
  await rows(harness.databaseUrl, "update api_keys set expires_at = now() - interval '1 s' where id = $1", [
    expired?.id,
  ]);
  return { disabled: bearer(disabled?.key), revoked: bearer(revoked?.key), expired: bearer(expired?.key) };
}
