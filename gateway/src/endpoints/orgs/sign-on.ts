// Single sign-on of an organization: GET, PUT and DELETE /api/orgs/:orgId/sign-on, and the domains that it confirms,
// GET and POST /api/orgs/:orgId/domains and one of them below it.

import type { AuditActor } from '../../canonical/audit-entry.ts';
import {
  type DomainAnswer,
  type DomainListAnswer,
  NewDomainBody,
  type SignOnAnswer,
  SignOnBody,
} from '../../contract/sign-on.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { Domain, Domains } from '../../modules/orgs/domains.ts';
import { SignOnError } from '../../modules/signin/sign-on/issuers.ts';
import type { SignOn, SignOnSettings } from '../../modules/signin/sign-on/sign-on.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { signOnRedirectUri } from '../auth/sso.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { requireAdmin } from './authority.ts';
import type { RoleServices } from './require-role.ts';

export type SignOnServices = RoleServices &
  Readonly<{ signOn: SignOn; domains: Domains; audit: Pick<Audit, 'record'>; siteUrl(): string }>;

const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

export const readSignOn =
  (services: SignOnServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    sendJson(exchange, 200, await answerOf(services, orgId));
  };

export function changeSignOn(services: SignOnServices): PrincipalHandler {
  const readBody = bodyReader(SignOnBody);
  return async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const body = await readBody(exchange);
    if (!(await services.domains.list(orgId)).some(({ confirmedAt }) => confirmedAt !== null)) {
      throw new ApiError(
        'http_409',
        'Confirm a domain first: the issuer can sign in only people with addresses of your domains.',
      );
    }
    const { clientSecret, required = false, trustsEmail = false, roles = [], teams = [] } = body;
    const settings = { issuer: issuerField(body.issuer), clientId: body.clientId, isRequired: required, trustsEmail };
    const change = { ...settings, rules: { roles, teams }, clientSecret };
    const log = recordChange(services, { orgId, actor, after: { ...settings, roles, teams } });
    try {
      if (!(await services.signOn.change(orgId, change, log))) {
        throw new ApiError('http_400', 'clientSecret: is required for a new issuer.');
      }
    } catch (error) {
      if (!(error instanceof SignOnError)) throw error;
      throw new ApiError('http_400', 'issuer: nothing there answers as an OpenID Connect issuer of this name.', {
        cause: error,
      });
    }
    sendJson(exchange, 200, await answerOf(services, orgId));
  };
}

export const removeSignOn =
  (services: SignOnServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const log = recordChange(services, { orgId, actor, after: null });
    if (!(await services.signOn.remove(orgId, log))) throw new ApiError('http_404', 'There is no single sign-on.');
    sendEmpty(exchange, 204);
  };

export const listDomains =
  (services: SignOnServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    const answer: DomainListAnswer = { domains: (await services.domains.list(orgId)).map(domainAnswer) };
    sendJson(exchange, 200, answer);
  };

export function claimDomain(services: SignOnServices): PrincipalHandler {
  const readBody = bodyReader(NewDomainBody);
  return async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const domain = (await readBody(exchange)).domain.trim().toLowerCase();
    if (!DOMAIN.test(domain)) throw new ApiError('http_400', 'domain: must be a domain such as example.com.');
    sendJson(exchange, 201, domainAnswer(await services.domains.claim(orgId, domain, actor)));
  };
}

export const checkDomain =
  (services: SignOnServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    sendJson(exchange, 200, domainAnswer(await services.domains.check(orgId, exchange.params.domain ?? '', actor)));
  };

export const dropDomain =
  (services: SignOnServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    if (!(await services.domains.drop(orgId, exchange.params.domain ?? '', actor))) {
      throw new ApiError('http_404', 'There is no such domain.');
    }
    sendEmpty(exchange, 204);
  };

function issuerField(text: string): string {
  const issuer = text.trim().replace(/\/\.well-known\/openid-configuration$/, '');
  if (URL.canParse(issuer) && /^https?:$/.test(new URL(issuer).protocol)) return issuer;
  throw new ApiError('http_400', 'issuer: must be an address such as https://login.example.com.');
}

type Changed = Readonly<{ orgId: string; actor: AuditActor; after: Record<string, unknown> | null }>;

/** The secret is not logged. */
const recordChange =
  ({ audit }: SignOnServices, { orgId, actor, after }: Changed) =>
  (transaction: Queryable): Promise<void> =>
    audit.record(transaction, {
      orgId,
      action: after === null ? 'org.sign_on.remove' : 'org.sign_on.update',
      actor,
      targetType: 'org',
      targetId: orgId,
      after: after as never,
    });

async function answerOf({ signOn, siteUrl }: SignOnServices, orgId: string): Promise<SignOnAnswer> {
  const settings = await signOn.settingsOf(orgId);
  const redirectUri = signOnRedirectUri(siteUrl(), orgId);
  return { signOn: settings === null ? null : settingsAnswer(settings), redirectUri };
}

const settingsAnswer = ({ issuer, clientId, isRequired, trustsEmail, rules }: SignOnSettings) => ({
  issuer,
  clientId,
  required: isRequired,
  trustsEmail,
  roles: [...rules.roles],
  teams: [...rules.teams],
});

const domainAnswer = ({ domain, confirmedAt, recordName, recordValue }: Domain): DomainAnswer => ({
  domain,
  confirmedAt: confirmedAt?.toISOString() ?? null,
  recordName,
  recordValue,
});
