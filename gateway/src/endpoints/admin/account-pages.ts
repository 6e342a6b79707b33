// What the operator's page about a user or an organization shows besides its books: GET /admin/v1/users/:id/usage and
// /admin/v1/orgs/:id/usage, and the members and keys of an organization. The answers are those that its own people get.

import type { KeyList } from '../../contract/account.ts';
import type { MembersAnswer } from '../../contract/org-management.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Members } from '../../modules/orgs/members.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import { readUsage, type UsageServices } from '../account/usage.ts';
import { keyObject, NO_ACTIVITY } from '../key-object.ts';
import { type MonthSpendServices, monthSpendByMember } from '../orgs/month-spend.ts';
import { memberObject } from '../orgs/people-objects.ts';
import { knownOrg, knownUser } from './known-user.ts';

type AccountPageServices = UsageServices &
  MonthSpendServices &
  Readonly<{
    identity: Identity;
    organizations: Pick<Organizations, 'find'>;
    members: Pick<Members, 'list'>;
  }>;

export function readUserUsage(services: AccountPageServices): Handler {
  const read = readUsage(services);
  return async (exchange) => {
    const { id } = await knownUser(exchange, services.identity);
    return read(exchange, { userId: id, accountId: id });
  };
}

export function readOrgUsage(services: AccountPageServices): Handler {
  const read = readUsage(services);
  return async (exchange) => {
    const { id } = await knownOrg(exchange, services.organizations);
    return read(exchange, { userId: id, accountId: id });
  };
}

export const listOrgMembers =
  (services: AccountPageServices): Handler =>
  async (exchange) => {
    const { id } = await knownOrg(exchange, services.organizations);
    const [members, spends] = await Promise.all([services.members.list(id, null), monthSpendByMember(services, id)]);
    const answer: MembersAnswer = {
      members: members.map((member) => ({ ...memberObject(member), monthSpend: spends.get(member.id) ?? 0 })),
    };
    sendJson(exchange, 200, answer);
  };

export const listOrgKeys =
  ({ identity, organizations, usage, clock }: AccountPageServices): Handler =>
  async (exchange) => {
    const { id: accountId } = await knownOrg(exchange, organizations);
    const keys = await identity.listKeys({ accountId });
    const keyIds = keys.map((key) => key.id);
    const activities = await usage.activityOfKeys(accountId, keyIds, clock.nowMs());
    const answer: KeyList = { keys: keys.map((key) => keyObject(key, activities.get(key.id) ?? NO_ACTIVITY)) };
    sendJson(exchange, 200, answer);
  };
