// DELETE /admin/v1/orgs/:id/sign-on: for an organization that can no longer sign in through its issuer, and so cannot
// reach its own settings.

import { ApiError } from '../../errors/api-error.ts';
import { sendEmpty } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import { OPERATOR } from '../../modules/orgs/change.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import type { SignOn } from '../../modules/signin/sign-on/sign-on.ts';
import type { OperatorHandler } from '../protect.ts';
import { knownOrg } from './known-user.ts';

type OrgSignOnServices = Readonly<{
  organizations: Organizations;
  signOn: Pick<SignOn, 'remove'>;
  audit: Pick<Audit, 'record'>;
}>;

export const removeOrgSignOn =
  ({ organizations, signOn, audit }: OrgSignOnServices): OperatorHandler =>
  async (exchange) => {
    const { id: orgId } = await knownOrg(exchange, organizations);
    const isRemoved = await signOn.remove(orgId, (transaction) =>
      audit.record(transaction, {
        orgId,
        action: 'org.sign_on.remove',
        actor: OPERATOR,
        targetType: 'org',
        targetId: orgId,
      }),
    );
    if (!isRemoved) throw new ApiError('http_404', 'This organization has no single sign-on.');
    sendEmpty(exchange, 204);
  };
