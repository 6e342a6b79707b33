// May this principal do this in this organization? For a person who is not a member an organization does not exist: the
// answer is the same 404 as for an unknown id. Only a member learns that a role does not suffice (403).

import type { Principal } from '../../canonical/caller.ts';
import type { OrgRole } from '../../contract/org-management.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Member, Members } from '../../modules/orgs/members.ts';

export type RoleServices = Readonly<{ members: Pick<Members, 'memberOf'> }>;

export async function requireRole(
  services: RoleServices,
  principal: Principal,
  orgId: string,
  roles: readonly OrgRole[],
): Promise<Member> {
  const { accountId, userId } = principal;
  // An organization's key manages no other organization, whatever else its holder belongs to.
  const isBoundElsewhere = accountId !== userId && accountId !== orgId;
  const member = isBoundElsewhere ? null : await services.members.memberOf(orgId, userId);
  if (member === null) throw new ApiError('http_404', 'There is no such organization.');
  if (member.isOrgSuspended)
    throw new ApiError('http_403', 'This organization is suspended. Ask the operator of this gateway.');
  const { credential, signOnOrgId } = principal;
  // A key of the organization was made by somebody whom its rules had let in. A person makes keys of their own by other
  // rules, so those open only an organization without rules of this kind.
  const isOrgKey = credential === 'key' && accountId === orgId;
  const isSignedOn = signOnOrgId === orgId || isOrgKey;
  if (member.needsSignOn && !isSignedOn) {
    throw new ApiError('http_403', 'This organization asks its members to sign in with its single sign-on.');
  }
  // A person who signed in through the organization's own issuer has been asked there for a second factor.
  if (member.needsSecondFactor && !isSignedOn && (credential === 'key' || !principal.hasSecondFactor)) {
    throw new ApiError(
      'http_403',
      'This organization asks for a second factor. Set one up in your settings, or sign in again with it.',
    );
  }
  if (!roles.includes(member.role)) {
    throw new ApiError(
      'http_403',
      'Your role in this organization does not allow this. Ask one of its administrators.',
    );
  }
  return member;
}
