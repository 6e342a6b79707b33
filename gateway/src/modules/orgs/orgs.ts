// Organizations: a shared account, and the people who may draw on it. How it is billed is a matter of its account, so
// an organization is always read together with that.

import { ApiError } from '../../errors/api-error.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { NanoUsd } from '../../platform/money.ts';
import * as store from './store/organizations.ts';

export type BillingPlan = 'prepaid' | 'monthly';

/** A prepaid organization has no credit line. */
export type Billing = Readonly<{ kind: BillingPlan; creditLineNanoUsd: NanoUsd }>;

export type Organization = Readonly<{
  id: string;
  name: string;
  isSuspended: boolean;
  billing: Billing;
  /** Below zero: what a monthly organization owes. */
  balanceNanoUsd: NanoUsd;
}>;

export type NewOrganization = Readonly<{ name: string; ownerUserId: string; billing: Billing }>;

export type Organizations = Readonly<{
  /** In the caller's transaction. The owner, who must exist, becomes its first administrator. */
  create(transaction: Queryable, organization: NewOrganization): Promise<Readonly<{ id: string; name: string }>>;
  find(orgId: string): Promise<Organization | null>;
  isMember(orgId: string, userId: string): Promise<boolean>;
  /** Suspends or resumes; all keys of the organization are affected from the next call on. */
  setSuspended(orgId: string, isSuspended: boolean): Promise<void>;
  /** 409 when it owes or uses more than the new terms allow. */
  setBilling(orgId: string, billing: Billing): Promise<void>;
}>;

export type OrganizationsOptions = Readonly<{
  database: Database;
  /** The ledger's side of an organization. */
  accounts: Readonly<{
    open(queryable: Queryable, accountId: string, billing: Billing): Promise<void>;
    read(accountId: string): Promise<(Billing & Readonly<{ balanceNanoUsd: NanoUsd }>) | null>;
    change(accountId: string, billing: Billing): Promise<boolean>;
  }>;
  /** Whoever has looked up keys of this account must look again. */
  forgetCallers(accountId: string): Promise<void>;
}>;

export function createOrganizations({ database, accounts, forgetCallers }: OrganizationsOptions): Organizations {
  return {
    async create(transaction, { name, ownerUserId, billing }) {
      const id = newId('org');
      await accounts.open(transaction, id, billing);
      await store.insertOrganization(transaction, id, name);
      await store.insertMember(transaction, { id: newId('mem'), orgId: id, userId: ownerUserId, role: 'org_admin' });
      return { id, name };
    },
    async find(orgId) {
      const row = await store.findOrganization(database, orgId);
      const account = row === null ? null : await accounts.read(orgId);
      if (row === null || account === null) return null;
      const { kind, creditLineNanoUsd, balanceNanoUsd } = account;
      const { id, name, isSuspended } = row;
      return { id, name, isSuspended, billing: { kind, creditLineNanoUsd }, balanceNanoUsd };
    },
    isMember: async (orgId, userId) => (await store.findMemberRole(database, orgId, userId)) !== null,
    async setSuspended(orgId, isSuspended) {
      if (await store.setSuspended(database, orgId, isSuspended)) await forgetCallers(orgId);
    },
    async setBilling(orgId, billing) {
      if (await accounts.change(orgId, billing)) return;
      throw new ApiError(
        'http_409',
        'The organization owes, or its running calls hold, more than these terms allow. Nothing was changed.',
      );
    },
  };
}
