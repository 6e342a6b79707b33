// The transcripts of an organization's calls: GET /v1/generation/content, and transcripts below /api/orgs/:orgId. The
// organization decides who may read; a team_admin reads what their own team sent, a member what they sent themselves,
// and a standard key opens no more than that for anybody. Every reading is logged before anything is shown.

import type { Principal } from '../../canonical/caller.ts';
import { ORG_ROLES, type OrgRole } from '../../contract/org-management.ts';
import type {
  ErasedAnswer,
  GenerationContentAnswer,
  TranscriptObject,
  TranscriptsAnswer,
} from '../../contract/transcripts.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { RouteRow } from '../../http/exchange.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import type { Scope, Transcript, TranscriptContent, Transcripts } from '../../modules/transcripts/transcripts.ts';
import type { Database } from '../../platform/db/database.ts';
import { plainId } from '../account/generation.ts';
import { auditActor } from '../orgs/audit-actor.ts';
import { requireAdmin } from '../orgs/authority.ts';
import { type RoleServices, requireRole } from '../orgs/require-role.ts';
import { asPrincipal, type PrincipalHandler, type Protect } from '../protect.ts';
import { textsOf } from './answer-text.ts';

type TranscriptReadServices = RoleServices &
  Readonly<{
    transcripts: Transcripts;
    organizations: Pick<Organizations, 'find'>;
    audit: Pick<Audit, 'record'>;
    database: Database;
  }>;

const access = 'manager';

// biome-ignore format: a table reads best with one row a line.
export function transcriptRoutes(services: TranscriptReadServices, { caller, principal }: Protect): readonly RouteRow[] {
  return [
    { method: 'GET', path: '/v1/generation/content', access: 'account', handle: caller(asPrincipal(readContent(services))) },
    { method: 'GET', path: '/api/orgs/:orgId/transcripts', access, handle: principal(listTranscripts(services)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/transcripts', access, handle: principal(eraseTranscripts(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/transcripts/:id', access, handle: principal(readTranscript(services)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/transcripts/:id', access, handle: principal(eraseTranscript(services)) },
  ];
}

/** Also where transcripts are no longer kept and old ones are still stored. */
const READERS: readonly OrgRole[] = ['org_admin'];
const PAGE_MAX = 100;
const PAGE_DEFAULT = 20;

const readContent =
  (services: TranscriptReadServices): PrincipalHandler =>
  async (exchange, principal) => {
    const id = new URLSearchParams(exchange.queryText).get('id');
    if (id === null || id === '') throw new ApiError('http_400', 'id: this query parameter is required.');
    // A person's own account keeps no transcripts.
    if (principal.accountId === principal.userId) throw nothingKept();
    const { content } = await find(services, principal, { orgId: principal.accountId, id: plainId(id) });
    const answer: GenerationContentAnswer = { data: contentObject(content) };
    sendJson(exchange, 200, answer);
  };

const readTranscript =
  (services: TranscriptReadServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId = '', id = '' } = exchange.params;
    sendJson(exchange, 200, transcriptObject(await find(services, principal, { orgId, id: plainId(id) })));
  };

const listTranscripts =
  (services: TranscriptReadServices): PrincipalHandler =>
  async (exchange, principal) => {
    const orgId = exchange.params.orgId ?? '';
    const scope = await scopeOf(services, principal, orgId);
    const query = new URLSearchParams(exchange.queryText);
    const limit = limitOf(query.get('limit'));
    const page = { beforeId: query.get('cursor'), limit };
    const { transcripts, nextBeforeId: next } = await services.transcripts.list(orgId, scope, page);
    const [first, last] = [transcripts[0], transcripts.at(-1)];
    await log(services, principal, {
      orgId,
      action: 'transcript.export',
      targetId: orgId,
      after: { count: transcripts.length, from: last?.id ?? null, to: first?.id ?? null },
    });
    const answer: TranscriptsAnswer = { transcripts: transcripts.map(transcriptObject), next };
    sendJson(exchange, 200, answer);
  };

const eraseTranscripts =
  (services: TranscriptReadServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    const userId = new URLSearchParams(exchange.queryText).get('userId');
    const erased = await services.transcripts.erase(orgId, { userId, id: null });
    await log(services, principal, { orgId, action: 'transcript.erase', targetId: userId ?? orgId, after: { erased } });
    const answer: ErasedAnswer = { erased };
    sendJson(exchange, 200, answer);
  };

const eraseTranscript =
  (services: TranscriptReadServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    const id = plainId(exchange.params.id ?? '');
    const erased = await services.transcripts.erase(orgId, { userId: null, id });
    if (erased === 0) throw nothingKept();
    await log(services, principal, { orgId, action: 'transcript.erase', targetId: id, after: { erased } });
    sendEmpty(exchange, 204);
  };

type Wanted = Readonly<{ orgId: string; id: string }>;

async function find(
  services: TranscriptReadServices,
  principal: Principal,
  { orgId, id }: Wanted,
): Promise<Transcript> {
  const scope = await scopeOf(services, principal, orgId);
  const transcript = await services.transcripts.find(orgId, scope, id);
  if (transcript === null) throw nothingKept();
  await log(services, principal, { orgId, action: 'transcript.read', targetId: id, after: null });
  return transcript;
}

/** 404 and 403 as in `requireRole`. */
async function scopeOf(services: TranscriptReadServices, principal: Principal, orgId: string): Promise<Scope> {
  const { role, teamId, userId } = await requireRole(services, principal, orgId, ORG_ROLES);
  const { settings } = (await services.organizations.find(orgId)) ?? {};
  if (!(settings?.transcripts?.readers ?? READERS).includes(role)) {
    throw new ApiError(
      'http_403',
      'Your role in this organization does not allow reading prompts and answers. Ask an administrator.',
    );
  }
  if (role === 'team_admin') return { userId: null, teamId: teamId ?? '' };
  // A team's administrator can make a standard key in the name of a billing_viewer, so that such a key must not open
  // what the team's administrator may not read.
  const isOwnOnly = role === 'member' || principal.caller?.keyType === 'standard';
  return { userId: isOwnOnly ? userId : null, teamId: null };
}

type Entry = Readonly<{ orgId: string; action: string; targetId: string; after: Record<string, unknown> | null }>;

const log = (
  { audit, database }: TranscriptReadServices,
  principal: Principal,
  { after, ...entry }: Entry,
): Promise<void> =>
  audit.record(database, { ...entry, actor: auditActor(principal), targetType: 'transcript', after: after as never });

function limitOf(text: string | null): number {
  if (text === null) return PAGE_DEFAULT;
  const limit = Number(text);
  if (/^\d{1,3}$/.test(text) && limit >= 1 && limit <= PAGE_MAX) return limit;
  throw new ApiError('http_400', `limit: must be a number from 1 to ${PAGE_MAX}.`);
}

const contentObject = ({ messages, answer, isStream, isCut }: TranscriptContent) => ({
  input: { messages },
  output: { ...textsOf(answer, isStream), response: answer },
  truncated: isCut,
});

const transcriptObject = ({ id, createdAtMs, userId, keyId, modelId, content }: Transcript): TranscriptObject => ({
  id,
  createdAt: new Date(createdAtMs).toISOString(),
  userId,
  keyId,
  model: modelId,
  ...contentObject(content),
});

const nothingKept = (): ApiError => new ApiError('http_404', 'No content is kept for this generation.');
