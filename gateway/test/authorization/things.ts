// What paths name: Ann's and Acme's things, and the same of Bob and Globex.

import { expect, vi } from 'vitest';
import { plantSession } from '../edu/plant-session.ts';
import type { Json } from '../harness.ts';
import { rows } from '../identity/rows.ts';
import { PATIENCE_MS } from '../patience.ts';
import type { Params, ParamsOf } from './row.ts';
import { signIn } from './sign-in.ts';
import { addMember, customer, newId, orgKey, PASSWORD, person, userKey, type World } from './world.ts';

export const acme: ParamsOf = ({ acme: { orgId } }) => ({ orgId });
export const acmeTeam: ParamsOf = ({ acme: { orgId, teamId } }) => ({ orgId, teamId });
export const acmeMember: ParamsOf = ({ acme: { orgId, memberIds }, mia }) => ({
  orgId,
  memberId: memberIds.get(mia.userId) ?? '',
});

export const annsKey: ParamsOf = async ({ harness, ann }) => ({
  id: String((await userKey(harness, ann, 'standard')).id),
});

/** Held by a member of the team, so that the team's administrator manages it too. */
export const acmeKey: ParamsOf = async ({ harness, acme: { orgId }, mia }) => ({
  orgId,
  id: String((await orgKey(harness, orgId, mia, 'standard')).id),
});

export const newTeam: ParamsOf = async ({ harness, acme: { orgId } }) => {
  const teamId = newId('team');
  await rows(harness.databaseUrl, 'insert into teams (id, org_id, name) values ($1, $2, $1)', [teamId, orgId]);
  return { orgId, teamId };
};

/** A fresh member of the team. */
export const newMember: ParamsOf = async ({ harness, acme: { orgId, teamId } }) => {
  const { userId } = await person(harness, 'newcomer');
  return { orgId, memberId: await addMember(harness, { orgId, teamId, userId, role: 'member' }) };
};

const invitation = async ({ harness, ann }: World, orgId: string, teamId: string): Promise<string> => {
  const id = newId('inv');
  await rows(
    harness.databaseUrl,
    `insert into org_invitations
       (id, org_id, token_hash, email, email_normalized, role, team_id, invited_by_user_id, created_at, expires_at)
     values ($1, $2, sha256($1::text::bytea), $1 || '@example.test', $1 || '@example.test', 'member', $3, $4, now(),
       now() + interval '1 day')`,
    [id, orgId, teamId, ann.userId],
  );
  return id;
};
export const acmeInvitation: ParamsOf = async (world) => ({
  orgId: world.acme.orgId,
  invitationId: await invitation(world, world.acme.orgId, world.acme.teamId),
});

export const annsUserId: ParamsOf = ({ ann }) => ({ id: ann.userId });
export const acmeId: ParamsOf = ({ acme: { orgId } }) => ({ id: orgId });

/** One that is paid: with no payment provider nobody can make one here. */
export const annsTopUp: ParamsOf = async ({ harness, ann }) => {
  const id = newId('ord');
  await rows(
    harness.databaseUrl,
    `insert into top_up_orders (id, account_id, user_id, provider, currency, rate_nano, credit_nano_usd, fee_nano_usd,
       vat_nano_usd, total_nano_usd, total_minor, state, paid_at)
     values ($1, $2, $2, 'stripe', 'usd', 1000000000, 10000000000, 0, 0, 10000000000, 1000, 'paid', now())`,
    [id, ann.userId],
  );
  return { id };
};

export const annsGeneration = ({ annsGenerationId }: World): string => `id=${annsGenerationId}`;

/** What is applied anyway. */
export const liveConfig = ({ harness }: World): Promise<Json> => harness.operate('GET', '/admin/v1/config');

/** Of a user whom no other row needs. */
export const newSession = async ({ harness }: World): Promise<Record<string, string>> =>
  signIn(harness, (await customer(harness, 'guest')).email, PASSWORD);

export const annsSession: ParamsOf = async ({ harness, ann }) => {
  await signIn(harness, ann.email, PASSWORD);
  const [newest] = await rows<{ id: string }>(
    harness.databaseUrl,
    'select id from sessions where user_id = $1 order by created_at desc limit 1',
    [ann.userId],
  );
  return { id: newest?.id ?? '' };
};

/** The key that an organization's own upstream is called with. */
export const BYOK_SECRET = 'sk-upstream-of-acme-4711';

/** What a guard is asked with. */
export const GUARD_SECRET = 'guard-key-of-acme-0815';

/** Everybody who knows the address of a chat may write to it. */
export const NOTICE_SECRET = 'T0000-B0000-notice-secret';

export const newByokKey = ({ harness }: World): Json => ({
  name: 'own',
  baseUrl: `${harness.simulator.url}/v1`,
  apiKey: BYOK_SECRET,
});

const byokKey = async (world: World, headers: Record<string, string>): Promise<string> => {
  const { harness } = world;
  const created = await harness.request('POST', '/v1/management/byok-keys', { headers, body: newByokKey(world) });
  return String((created.body.key as Json | undefined)?.id ?? created.body.id);
};
export const acmeByokKey: ParamsOf = async (world) => ({
  orgId: world.acme.orgId,
  id: await byokKey(world, world.headers.orgAdmin),
});

/** The challenge of RFC 7636's example. */
export const applicationGrant: Json = {
  callbackUrl: 'https://app.example/callback',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  codeChallengeMethod: 'S256',
  limitUsd: 10,
  limitReset: 'monthly',
  expiresInDays: 90,
};

export const newFilter: Json = { name: 'own', type: 'keyword', pattern: 'falcon', action: 'flag' };

const filter = async ({ harness }: World, orgId: string): Promise<string> => {
  const id = newId('flt');
  await rows(
    harness.databaseUrl,
    `insert into content_filters (id, org_id, name, type, pattern, action, is_enabled, created_at, updated_at)
     values ($1, $2, 'own', 'keyword', 'falcon', 'flag', true, now(), now())`,
    [id, orgId],
  );
  return id;
};
export const acmeFilter: ParamsOf = async (world) => ({
  orgId: world.acme.orgId,
  filterId: await filter(world, world.acme.orgId),
});

export const newGuard: Json = {
  name: 'own',
  form: 'webhook',
  url: `https://guard.example.com/${NOTICE_SECRET}`,
  apiKey: GUARD_SECRET,
  stages: ['before'],
  enabled: false,
};

const guard = async ({ harness }: World, orgId: string): Promise<string> => {
  const id = newId('grd');
  await rows(
    harness.databaseUrl,
    `insert into guards (id, org_id, name, form, url, host, stages, action, timeout_ms, is_open_on_failure, is_enabled, created_at)
     values ($1, $2, 'own', 'webhook', 'sealed:1:x', 'guard.example.com', '{before}', 'flag', 1000, true, false, now())`,
    [id, orgId],
  );
  return id;
};
export const acmeGuard: ParamsOf = async (world) => ({
  orgId: world.acme.orgId,
  guardId: await guard(world, world.acme.orgId),
});

export const newNoticeAddress: Json = {
  channel: 'webhook',
  target: `https://hooks.example.com/${NOTICE_SECRET}`,
  kinds: ['breaker.tripped'],
};

const noticeAddress = async ({ harness }: World, ownerKind: string, ownerId: string): Promise<string> => {
  const id = newId('adr');
  await rows(
    harness.databaseUrl,
    `insert into notice_addresses (id, owner_kind, owner_id, channel, target, shown, kinds, created_at)
     values ($1, $2, $3, 'slack', 'sealed:1:x', 'hooks.example.com', '{balance.low}', now())`,
    [id, ownerKind, ownerId],
  );
  return id;
};
export const annsNoticeAddress: ParamsOf = async (world) => ({
  addressId: await noticeAddress(world, 'user', world.ann.userId),
});
export const acmeNoticeAddress: ParamsOf = async (world) => ({
  orgId: world.acme.orgId,
  addressId: await noticeAddress(world, 'org', world.acme.orgId),
});
export const operatorsNoticeAddress: ParamsOf = async (world) => ({
  addressId: await noticeAddress(world, 'operator', ''),
});

export const FEED_SECRET = 'collector-key-of-acme-0816';

export const newFeed: Json = {
  name: 'own',
  form: 'otlp',
  url: `https://collector.example.com/${NOTICE_SECRET}`,
  headers: [{ name: 'authorization', value: FEED_SECRET }],
  enabled: false,
};

const feed = async ({ harness }: World, ownerKind: string, ownerId: string): Promise<string> => {
  const id = newId('fed');
  await rows(
    harness.databaseUrl,
    `insert into call_feeds (id, owner_kind, owner_id, name, form, host, settings, is_enabled, created_at, next_attempt_at)
     values ($1, $2, $3, 'own', 'otlp', 'collector.example.com', 'sealed:1:x', false, now(), now())`,
    [id, ownerKind, ownerId],
  );
  return id;
};
export const acmeFeed: ParamsOf = async (world) => ({
  orgId: world.acme.orgId,
  feedId: await feed(world, 'org', world.acme.orgId),
});
export const operatorsFeed: ParamsOf = async (world) => ({ feedId: await feed(world, 'operator', '') });

const eduThing = async ({ harness, acme: { orgId } }: World, owner: string, name: 'id' | 'keyId'): Promise<Params> => ({
  orgId,
  id: (await plantSession(harness.databaseUrl, owner))[name],
});
export const acmeEduKey: ParamsOf = (world) => eduThing(world, world.acme.orgId, 'keyId');
export const acmeEduSession: ParamsOf = (world) => eduThing(world, world.acme.orgId, 'id');

/** One that nobody has finished. */
export const annsVideo: ParamsOf = async ({ harness, ann }) => {
  const id = `vjob_${newId('vjob').slice(-24)}`;
  await rows(
    harness.databaseUrl,
    `insert into video_jobs (
       id, generation_id, account_id, user_id, key_id, model_id, provider_name, upstream_model, upstream_job_id, task,
       duration_ms, size, second_price, request_price, held_nano_usd, phase, created_at, expires_at, checked_at, due_at
     ) values ($1, $1, $2, $2, 'key-x', 'acme/film', 'sim', 'film', 'video_x', 'text_to_video', 4000, '1280x720', 0, 0, 0,
               'open', now(), now() + interval '1 hour', now(), now() + interval '1 hour')`,
    [id, ann.userId],
  );
  return { id };
};

export const newOperator: ParamsOf = async ({ harness }) => {
  const { userId, email } = await person(harness, 'operator');
  await harness.operate('POST', '/admin/v1/operators', { email, role: 'read_only' });
  return { userId };
};

export const unaskedPasskey = {
  name: 'Laptop',
  passkey: { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: {} },
};

/** Of Acme's directory; nobody's account. */
export const acmePerson: ParamsOf = async ({ harness, acme: { orgId } }) => {
  const id = newId('scu');
  await rows(
    harness.databaseUrl,
    `insert into provisioned_people (id, org_id, user_name, email_normalized, is_active, created_at, changed_at)
     values ($1, $2, $1 || '@acme.example', $1 || '@acme.example', false, now(), now())`,
    [id, orgId],
  );
  return { id };
};

export const acmeGroup: ParamsOf = async (world) => {
  const id = newId('scg');
  const { orgId = '', teamId = '' } = await newTeam(world);
  await rows(
    world.harness.databaseUrl,
    `insert into provisioned_groups (id, org_id, team_id, has_opened_team, created_at, changed_at)
     values ($1, $2, $3, true, now(), now())`,
    [id, orgId, teamId],
  );
  return { id };
};

export const acmeProvisioningToken: ParamsOf = async ({ harness, acme: { orgId } }) => {
  const id = newId('sct');
  await rows(
    harness.databaseUrl,
    `insert into provisioning_tokens (id, org_id, name, hash, suffix, created_at)
     values ($1, $2, 'own', sha256($1::text::bytea), 'none', now())`,
    [id, orgId],
  );
  return { orgId, id };
};

/** Claimed, and not confirmed. */
export const acmeDomain: ParamsOf = async ({ harness, acme: { orgId } }) => {
  const domain = `${newId('d')}.example`;
  await rows(
    harness.databaseUrl,
    "insert into org_domains (org_id, domain, token, created_at) values ($1, $2, 't', now())",
    [orgId, domain],
  );
  return { orgId, domain };
};

/** Of a call that was made for it, because only the gateway seals what can be read. */
export const acmeTranscript: ParamsOf = async ({ harness, acme: { orgId }, ann, headers }) => {
  const transcripts = { days: 1, samplePercent: 100, readers: ['org_admin'] };
  const settings = { headers: headers.orgAdmin, body: { settings: { transcripts } } };
  await harness.request('PATCH', `/v1/orgs/${orgId}`, settings);
  const { key } = await orgKey(harness, orgId, ann, 'standard');
  const { status, body, text } = await harness.chat(String(key), { model: 'openai/test' });
  expect(status, text).toBe(200);
  const id = String(body.id);
  const find = () => rows(harness.databaseUrl, 'select 1 from transcripts where id = $1', [id]);
  await vi.waitFor(async () => expect(await find()).not.toEqual([]), { timeout: PATIENCE_MS, interval: 20 });
  return { orgId, id };
};

/** Neither Ann's nor Bob's: a passkey would be asked for when they sign in. */
export const othersPasskey: ParamsOf = async ({ harness }) => {
  const id = newId('psk');
  const { userId } = await person(harness, 'careful');
  await rows(
    harness.databaseUrl,
    `insert into passkeys (credential_id, id, user_id, public_key, sign_count, name, created_at)
     values ($1, $1, $2, '', 0, 'own', now())`,
    [id, userId],
  );
  return { id };
};
