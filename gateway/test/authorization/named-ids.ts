// The places in queries and bodies where the id of a thing can be stated, besides the path. Each is asked about with the
// id of another tenant and with one that was never given out; a place that holds no id of ours says why.

import { expect, vi } from 'vitest';
import type { Json } from '../harness.ts';
import { rows } from '../identity/rows.ts';
import { PATIENCE_MS } from '../patience.ts';
import { madeUpId } from './ask.ts';
import * as later from './later-things.ts';
import type { Params, ParamsOf } from './row.ts';
import * as things from './things.ts';
import { addMember, type Person, person, userKey, type World } from './world.ts';

export type Named = Readonly<{
  /** Its last value is what is stated; it is made in the world of the other tenant. */
  thing: ParamsOf;
  /** What is stated in its place: the like of it that never was. */
  missing?(id: string): string;
  /** How a query states it, where it is more than the id. */
  value?(id: string): string;
  /** The body, for a field of one. */
  body?(id: string, world: World): Json;
  /** The asker's own log says what was asked. */
  isLogged?: boolean;
}>;

export const idOf = (params: Params): string => Object.values(params).at(-1) ?? '';

const NOT_OURS = 'Others give it out, and nothing is looked up by it.';
const POSITION = 'A place in the order of what the asker may see; no row is looked up.';
const NO_ID = 'It holds no id.';

const generation: ParamsOf = ({ annsGenerationId }) => ({ id: annsGenerationId });

/** One that has been used, so that reports have something about it. */
const usedKey: ParamsOf = async ({ harness, ann }) => {
  const { id, key } = await userKey(harness, ann, 'standard');
  await harness.chat(String(key), { model: 'openai/test' });
  const sums = () => rows(harness.databaseUrl, 'select 1 from usage_hourly where key_id = $1', [id]);
  await vi.waitFor(async () => expect(await sums()).not.toEqual([]), { timeout: PATIENCE_MS, interval: 20 });
  return { id: String(id) };
};

/** A member, of whom nothing changes by itself. */
const colleague: ParamsOf = async ({ harness, acme: { orgId } }) => {
  const { userId } = await person(harness, 'colleague');
  await addMember(harness, { orgId, teamId: null, userId, role: 'member' });
  return { userId };
};
const mailbox: ParamsOf = ({ ann }: Readonly<{ ann: Person }>) => ({ email: ann.email });
const ofNobody = (): string => 'nobody@example.test';

const member = (body: (id: string) => Json): Named => ({ thing: things.acmePerson, body });
const team = (body: (id: string, world: World) => Json): Named => ({ thing: things.acmeTeam, missing: madeUpId, body });
const scopedKey: Named = {
  thing: things.acmeKey,
  body: (id, world) => ({ ...things.newByokKey(world), scopedApiKeyIds: [id] }),
};
const notice: Named = {
  thing: mailbox,
  missing: ofNobody,
  body: (target) => ({ channel: 'mail', target, kinds: ['balance.low'] }),
};
const foundBy = (thing: ParamsOf, attribute: string): Named => ({ thing, value: (id) => `${attribute} eq "${id}"` });
const searchedBy = (thing: ParamsOf, attribute: string): Named => ({
  thing,
  body: (id) => ({ filter: `${attribute} eq "${id}"` }),
});

/** By the name of the field, in queries. */
export const namedInQueries: Readonly<Record<string, Named>> = {
  orgId: { thing: things.acme },
  api_key_id: { thing: usedKey },
  key: { thing: usedKey },
  user: { thing: colleague },
};

/** By the route and the field. */
export const namedIds: Readonly<Record<string, Named | string>> = {
  'GET /v1/videos after': { thing: things.annsVideo },
  'GET /v1/video/generations after': { thing: things.annsVideo },
  'GET /v1/files after': { thing: later.annsFile },
  'GET /v1/batches after': { thing: later.annsBatch },
  'GET /v1/messages/batches after_id': { thing: later.annsMessageBatch },
  'GET /v1/messages/batches before_id': { thing: later.annsMessageBatch },
  'GET /v1/jobs after': { thing: later.annsJob },
  'GET /v1/credits/topups after': { thing: things.annsTopUp },
  'GET /v1/generation id': { thing: generation },
  'GET /v1/generation/content id': { thing: things.acmeTranscript },
  'GET /v1/statement cursor': POSITION,
  'GET /v1/orgs/:orgId/statement cursor': POSITION,
  'GET /api/account/batches after': { thing: later.annsBatch },
  'GET /api/account/files after': { thing: later.annsFile },
  'GET /api/account/calls cursor': POSITION,
  'GET /api/account/calls id': { thing: generation },
  'GET /api/account/generation id': { thing: generation },
  'GET /api/account/generations after': POSITION,
  'GET /api/account/topups after': { thing: things.annsTopUp },
  'GET /api/orgs/:orgId/audit-log actor': { thing: colleague },
  'GET /api/orgs/:orgId/audit-log target': { thing: things.acmeTeam },
  'GET /api/orgs/:orgId/audit-log cursor': { thing: colleague },
  'GET /api/orgs/:orgId/edu/sessions cursor': { thing: things.acmeEduSession },
  'GET /api/orgs/:orgId/transcripts cursor': { thing: things.acmeTranscript },
  'DELETE /api/orgs/:orgId/transcripts userId': { thing: colleague, isLogged: true },
  'GET /scim/v2/Users filter': foundBy(things.acmePerson, 'id'),
  'GET /scim/v2/Groups filter': foundBy(things.acmeGroup, 'id'),
  'POST /scim/v2/Users/.search filter': searchedBy(things.acmePerson, 'id'),
  'POST /scim/v2/Groups/.search filter': searchedBy(things.acmePerson, 'members.value'),

  'POST /v1/batches input_file_id': {
    thing: later.annsFile,
    body: (id) => ({ input_file_id: id, endpoint: '/v1/embeddings', completion_window: '24h' }),
  },
  'POST /v1/batches output_expires_after': NO_ID,
  'POST /v1/messages/batches requests.[].custom_id': NOT_OURS,
  'POST /api/orgs/:orgId/keys userId': { thing: colleague, body: (userId) => ({ name: 'own', userId }) },
  'POST /api/orgs/:orgId/keys teamId': team((teamId) => ({ name: 'own', teamId })),
  'POST /v1/orgs/:orgId/members teamId': team((teamId, { ann }) => ({ email: ann.email, teamId })),
  'PATCH /v1/orgs/:orgId/members/:memberId teamId': team((teamId) => ({ teamId })),
  'POST /api/orgs/:orgId/invitations teamId': team((teamId) => ({
    email: `${crypto.randomUUID()}@example.test`,
    teamId,
  })),
  'POST /api/invitations/accept id': { thing: things.acmeInvitation, body: (id) => ({ id }) },
  'POST /api/invitations/decline id': { thing: things.acmeInvitation, body: (id) => ({ id }) },
  'POST /v1/management/byok-keys scopedApiKeyIds': scopedKey,
  'PATCH /v1/management/byok-keys/:id scopedApiKeyIds': { ...scopedKey, body: (id) => ({ scopedApiKeyIds: [id] }) },
  'POST /api/orgs/:orgId/byok-keys scopedApiKeyIds': scopedKey,
  'PATCH /api/orgs/:orgId/byok-keys/:id scopedApiKeyIds': { ...scopedKey, body: (id) => ({ scopedApiKeyIds: [id] }) },
  'PUT /api/orgs/:orgId/sign-on clientId': NOT_OURS,
  'PUT /api/orgs/:orgId/sign-on teams.[].teamId': team((teamId) => ({
    ...{ issuer: 'https://login.example', clientId: 'c', clientSecret: 's' },
    teams: [{ claim: 'group', value: 'x', teamId }],
  })),
  'POST /api/account/notices/addresses target': notice,
  'POST /api/orgs/:orgId/notices/addresses target': notice,
  'POST /api/orgs/:orgId/feeds accessKeyId': NOT_OURS,
  'POST /api/auth/factors/passkeys passkey.id': NOT_OURS,
  'POST /api/auth/factors/passkeys passkey.rawId': NOT_OURS,
  'POST /scim/v2/Users externalId': NOT_OURS,
  'PUT /scim/v2/Users/:id externalId': NOT_OURS,
  'PATCH /scim/v2/Users/:id Operations.[].value': NO_ID,
  'POST /scim/v2/Groups externalId': NOT_OURS,
  'PUT /scim/v2/Groups/:id externalId': NOT_OURS,
  'POST /scim/v2/Groups members.[].value': member((value) => ({
    displayName: crypto.randomUUID(),
    members: [{ value }],
  })),
  'PUT /scim/v2/Groups/:id members.[].value': member((value) => ({ displayName: 'own', members: [{ value }] })),
  'PATCH /scim/v2/Groups/:id Operations.[].value': member((value) => ({
    Operations: [{ op: 'add', path: 'members', value: [{ value }] }],
  })),
};
