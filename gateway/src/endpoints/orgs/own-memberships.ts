// A person's own memberships and invitations, and ending them: GET /api/account/held, POST /api/orgs/:orgId/leave and
// POST /api/invitations/decline. Nobody else's consent is needed.

import { DeclineInvitationBody, type HeldAnswer } from '../../contract/org-management.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { Evidence } from '../../modules/guardrails/moderation/evidence.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Invitation, Invitations } from '../../modules/orgs/invitations.ts';
import type { Members } from '../../modules/orgs/members.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';

export type OwnMembershipServices = Readonly<{
  organizations: Pick<Organizations, 'listOf'>;
  members: Pick<Members, 'leave'>;
  invitations: Pick<Invitations, 'listForPerson' | 'decline'>;
  identity: Pick<Identity, 'listKeysOfUser'>;
  evidence: Pick<Evidence, 'list'>;
}>;

const EVIDENCE_SHOWN_MAX = 100;

export const readHeld =
  ({ organizations, identity, invitations, evidence }: OwnMembershipServices): PrincipalHandler =>
  async (exchange, { userId }) => {
    const [orgs, keys, invited, kept] = await Promise.all([
      organizations.listOf(userId, null),
      identity.listKeysOfUser(userId),
      invitations.listForPerson(userId),
      evidence.list({ ...ANY_EVIDENCE, userId }),
    ]);
    const keysOf = (orgId: string) =>
      keys
        .filter(({ accountId }) => accountId === orgId)
        .map((key) => ({
          id: key.id,
          name: key.name,
          keyPrefix: key.prefix,
          keySuffix: key.suffix,
          createdAt: key.createdAt.toISOString(),
        }));
    const answer: HeldAnswer = {
      organizations: orgs.map(({ id, name, role, joinedAt }) => ({
        id,
        name,
        role,
        joinedAt: joinedAt.toISOString(),
        keys: keysOf(id),
      })),
      invitations: invited.map(toInvited),
      evidence: kept.map(({ accountId, categories, operation, createdAt }) => ({
        organizationId: accountId === userId ? null : accountId,
        categories: [...categories],
        operation,
        createdAt: createdAt.toISOString(),
      })),
    };
    sendJson(exchange, 200, answer);
  };

const ANY_EVIDENCE = {
  accountId: null,
  category: null,
  from: null,
  to: null,
  after: null,
  limit: EVIDENCE_SHOWN_MAX,
};

const toInvited = ({ id, orgName, role, invitedByName, createdAt, expiresAt }: Invitation) => ({
  id,
  organization: { name: orgName },
  role,
  invitedBy: invitedByName,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});

export const leaveOrg =
  ({ members }: OwnMembershipServices): PrincipalHandler =>
  async (exchange, { userId }) => {
    await members.leave(exchange.params.orgId ?? '', userId);
    sendEmpty(exchange, 204);
  };

export function declineInvitation({ invitations }: OwnMembershipServices): PrincipalHandler {
  const readBody = bodyReader(DeclineInvitationBody);
  return async (exchange, { userId }) => {
    await invitations.decline((await readBody(exchange)).id, userId);
    sendEmpty(exchange, 204);
  };
}
