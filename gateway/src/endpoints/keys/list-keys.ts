// GET /v1/keys, /api/account/keys and /api/orgs/:orgId/keys. What the keys have used comes from the daily sums, in one
// statement for the whole list.

import type { KeyList } from '../../contract/account.ts';
import { sendJson } from '../../http/respond.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { UsageReports } from '../../modules/usage/usage.ts';
import type { Clock } from '../../platform/clock.ts';
import { keyObject, NO_ACTIVITY } from '../key-object.ts';
import type { PrincipalHandler } from '../protect.ts';
import { type AuthorityOf, visibleKeys } from './authority.ts';

type ListKeyServices = Readonly<{
  identity: Pick<Identity, 'listKeys'>;
  usage: Pick<UsageReports, 'activityOfKeys'>;
  clock: Clock;
}>;

export const listKeys =
  ({ identity, usage, clock }: ListKeyServices, authorityOf: AuthorityOf): PrincipalHandler =>
  async (exchange, principal) => {
    const authority = await authorityOf(exchange, principal);
    const keys = await identity.listKeys(visibleKeys(authority));
    const keyIds = keys.map(({ id }) => id);
    const activities = await usage.activityOfKeys(authority.accountId, keyIds, clock.nowMs());
    const answer: KeyList = { keys: keys.map((key) => keyObject(key, activities.get(key.id) ?? NO_ACTIVITY)) };
    sendJson(exchange, 200, answer);
  };
