// Organizations: a shared account, and the people who may use it. Billing is a property of the account, so an
// organization is always read together with it.

import type { AuditActor } from '../../canonical/audit-entry.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { type NanoUsd, usdNumber } from '../../platform/money.ts';
import { budgetNumber, changeUnderLock, difference, OPERATOR, type OrgChangeOptions } from './change.ts';
import { type OrgSettings, readSettings, storedSettings } from './settings.ts';
import { insertMember } from './store/members.ts';
import * as store from './store/organizations.ts';

/** How many a person may found. */
const FOUNDED_MAX = 10;

type BillingPlan = 'prepaid' | 'monthly';

/** A prepaid organization has no credit line. */
export type Billing = Readonly<{ kind: BillingPlan; creditLineNanoUsd: NanoUsd }>;

export type Organization = Omit<store.OrganizationRow, 'settings' | 'confirmedDomains' | 'createdAt'> &
  Readonly<{
    settings: OrgSettings;
    billing: Billing;
    /** Negative: what a monthly organization owes. */
    balanceNanoUsd: NanoUsd;
  }>;

type NewOrganization = Readonly<{ name: string; ownerUserId: string; billing: Billing; actor: AuditActor }>;

/** A field that is left out stays as it is. */
type OrganizationChange = Partial<Omit<store.OrganizationChange, 'settings'>> &
  Readonly<{ settings?: Partial<OrgSettings> | undefined }>;

export type Organizations = Readonly<{
  /** Runs in the caller's transaction. The owner, who must exist, becomes the first administrator. */
  create(transaction: Queryable, organization: NewOrganization): Promise<Readonly<{ id: string; name: string }>>;
  /** A person founds a prepaid organization. 409 when they have founded too many. */
  found(
    name: string,
    actor: AuditActor & Readonly<{ userId: string }>,
  ): Promise<Readonly<{ id: string; name: string }>>;
  find(orgId: string): Promise<Organization | null>;
  countParts(orgId: string): Promise<store.Counts>;
  /** The organizations that a person belongs to, or only the one with the given id. */
  listOf(userId: string, onlyOrgId: string | null): Promise<readonly store.MembershipSummaryRow[]>;
  change(orgId: string, change: OrganizationChange, actor: AuditActor): Promise<void>;
  /** 409 when it owes or uses more than the new terms allow. */
  setBilling(orgId: string, billing: Billing): Promise<void>;
}>;

export type OrganizationsOptions = OrgChangeOptions &
  Readonly<{
    /** The ledger's side of an organization. */
    accounts: Readonly<{
      open(queryable: Queryable, accountId: string, billing: Billing): Promise<void>;
      read(accountId: string): Promise<(Billing & Readonly<{ balanceNanoUsd: NanoUsd }>) | null>;
      change(accountId: string, billing: Billing): Promise<boolean>;
    }>;
  }>;

type Founding = NewOrganization & Readonly<{ founderUserId: string | null }>;

export function createOrganizations(options: OrganizationsOptions): Organizations {
  const { database, accounts } = options;
  const find = async (orgId: string): Promise<Organization | null> => {
    const row = await store.findOrganization(database, orgId);
    const account = row === null ? null : await accounts.read(orgId);
    if (row === null || account === null) return null;
    const { kind, creditLineNanoUsd, balanceNanoUsd } = account;
    const { createdAt, settings, ...shown } = row;
    const billing = { kind, creditLineNanoUsd };
    return { ...shown, settings: readSettings(settings), billing, balanceNanoUsd };
  };
  return {
    create: (transaction, organization) => create(options, transaction, { ...organization, founderUserId: null }),
    found: (name, actor) =>
      database.transaction(async (transaction) => {
        if ((await store.countFounded(transaction, actor.userId)) >= FOUNDED_MAX) {
          throw new ApiError(
            'http_409',
            `You have founded ${FOUNDED_MAX} organizations, which is the most there can be. Ask the operator for more.`,
          );
        }
        const billing = { kind: 'prepaid', creditLineNanoUsd: 0n } as const;
        const founder = { ownerUserId: actor.userId, founderUserId: actor.userId };
        return create(options, transaction, { name, billing, actor, ...founder });
      }),
    find,
    countParts: (orgId) => store.countParts(database, orgId),
    listOf: (userId, onlyOrgId) => store.listOfUser(database, userId, onlyOrgId),
    change: (orgId, change, actor) => changeOrganization(options, orgId, change, actor),
    async setBilling(orgId, billing) {
      const before = await accounts.read(orgId);
      if (!(await accounts.change(orgId, billing))) {
        throw new ApiError(
          'http_409',
          'The organization owes, or its running calls hold, more than these terms allow. Nothing was changed.',
        );
      }
      // The account's terms change in the ledger's own transaction, so the log entry follows in another.
      const changed = difference(before === null ? {} : billingFields(before), billingFields(billing));
      if (changed === null) return;
      const target = { targetType: 'org', targetId: orgId };
      await options.record(database, { orgId, action: 'org.billing.update', actor: OPERATOR, ...target, ...changed });
    },
  };
}

async function create(
  { accounts, record }: OrganizationsOptions,
  transaction: Queryable,
  { name, ownerUserId, founderUserId, billing, actor }: Founding,
): Promise<Readonly<{ id: string; name: string }>> {
  const id = newId('org');
  await accounts.open(transaction, id, billing);
  await store.insertOrganization(transaction, { id, name, founderUserId });
  const membership = { orgId: id, userId: ownerUserId, role: 'org_admin', teamId: null } as const;
  await insertMember(transaction, { id: newId('mem'), ...membership, monthlyBudgetNanoUsd: null });
  const after = { name, ownerUserId, ...billingFields(billing) };
  await record(transaction, { orgId: id, action: 'org.create', actor, targetType: 'org', targetId: id, after });
  return { id, name };
}

function changeOrganization(
  options: OrganizationsOptions,
  orgId: string,
  change: OrganizationChange,
  actor: AuditActor,
): Promise<void> {
  return changeUnderLock(options, orgId, async (transaction, row) => {
    const before = { ...row, settings: readSettings(row.settings) };
    const after = {
      name: change.name ?? row.name,
      settings: { ...before.settings, ...change.settings },
      seats: change.seats ?? row.seats,
      isSuspended: change.isSuspended ?? row.isSuspended,
      isVouched: change.isVouched ?? row.isVouched,
      memberDomains: change.memberDomains ?? row.memberDomains,
    };
    const changed = difference(logged(before), logged(after));
    if (changed === null) return;
    await store.changeOrganization(transaction, orgId, { ...after, settings: storedSettings(after.settings) });
    const target = { targetType: 'org', targetId: orgId };
    await options.record(transaction, { orgId, action: 'org.settings.update', actor, ...target, ...changed });
  });
}

const logged = (organization: Omit<Organization, 'id' | 'billing' | 'balanceNanoUsd'>) => ({
  name: organization.name,
  settings: {
    defaultMemberBudget: budgetNumber(organization.settings.defaultMemberBudgetNanoUsd),
    teamAdminsMayInvite: organization.settings.canTeamAdminsInvite,
    needsSecondFactor: organization.settings.needsSecondFactor,
    cacheTtlSeconds: organization.settings.cacheTtlSeconds,
    cacheShared: organization.settings.isCacheShared,
    transcripts: organization.settings.transcripts,
  },
  seats: organization.seats,
  suspended: organization.isSuspended,
  vouched: organization.isVouched,
  memberDomains: [...organization.memberDomains],
});

const billingFields = ({ kind, creditLineNanoUsd }: Billing) => ({
  billingPlan: kind,
  creditLineUsd: kind === 'monthly' ? usdNumber(creditLineNanoUsd) : null,
});
