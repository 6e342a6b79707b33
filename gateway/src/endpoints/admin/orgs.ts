// The operator's routes on organizations: GET and POST /admin/v1/orgs, GET and PATCH /admin/v1/orgs/:id, and credit and
// keys below it. An organization, its account and its first administrator are created in one transaction.

import type { NewKeyObject } from '../../contract/account.ts';
import { type BalanceAnswer, CreditBody } from '../../contract/admin.ts';
import {
  NewOrgBody,
  NewOrgKeyBody,
  type OrgAnswer,
  OrgChangesBody,
  type OrgListAnswer,
  type OrgStateAnswer,
} from '../../contract/orgs.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import { OPERATOR } from '../../modules/orgs/change.ts';
import type { Members } from '../../modules/orgs/members.ts';
import type { Billing, Organization, Organizations } from '../../modules/orgs/orgs.ts';
import type { DirectoryRow, DirectorySearch } from '../../modules/orgs/store/directory.ts';
import type { Database } from '../../platform/db/database.ts';
import { NANO_PER_USD, parseUsdJson, usdNumber } from '../../platform/money.ts';
import { keyObject, NO_ACTIVITY } from '../key-object.ts';
import { recordKeyChange } from '../keys/key-audit.ts';
import { cutPage } from '../page.ts';
import type { OperatorHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { creditAmount, creditReference } from './credits.ts';
import { knownOrg, userNotFound } from './known-user.ts';
import { listQuery } from './list-query.ts';

type OrgAdminServices = Readonly<{
  database: Database;
  identity: Identity;
  ledger: Pick<Ledger, 'credit'>;
  organizations: Organizations;
  members: Pick<Members, 'hold'>;
  searchOrganizations(search: DirectorySearch): Promise<readonly DirectoryRow[]>;
  audit: Pick<Audit, 'record'>;
}>;

/** Far above any real one, and far below where sums with a balance would exceed the database's integers. */
const CREDIT_LINE_USD_MAX = 1_000_000_000n;

type BillingWish = Readonly<{ billingPlan?: Billing['kind']; creditLineUsd?: unknown }>;

export const ORG_SORTS = ['name', 'balance'] as const;

export const listOrgs =
  ({ searchOrganizations }: OrgAdminServices): Handler =>
  async (exchange) => {
    const query = listQuery(new URLSearchParams(exchange.queryText), ORG_SORTS);
    const { rows, next } = cutPage(await searchOrganizations(query), query.limit - 1);
    const orgs = rows.map(({ id, name, isSuspended, createdAt, balanceNanoUsd }) => ({
      id,
      name,
      suspended: isSuspended,
      createdAt: createdAt.toISOString(),
      balanceUsd: usdNumber(balanceNanoUsd),
    }));
    const answer: OrgListAnswer = { orgs, next };
    sendJson(exchange, 200, answer);
  };

export function createOrg({ database, identity, organizations }: OrgAdminServices): OperatorHandler {
  const readBody = bodyReader(NewOrgBody);
  return async (exchange, { role }) => {
    const body = await readBody(exchange);
    const billing = billingOf(body, { kind: 'prepaid', creditLineNanoUsd: 0n });
    if (billing.kind === 'monthly' && role !== 'owner') {
      throw new ApiError(
        'http_403',
        'billingPlan: only an owner gives credit lines. Leave it out: it pays in advance.',
      );
    }
    const owner = await identity.findUser(body.ownerUserId);
    if (owner === null) throw userNotFound();
    const created: OrgAnswer = await database.transaction((transaction) =>
      organizations.create(transaction, { name: body.name, ownerUserId: owner.id, billing, actor: OPERATOR }),
    );
    sendJson(exchange, 201, created);
  };
}

export const readOrg =
  ({ organizations }: OrgAdminServices): Handler =>
  async (exchange) => {
    sendJson(exchange, 200, toAnswer(await knownOrg(exchange, organizations)));
  };

export function changeOrg({ organizations }: OrgAdminServices): Handler {
  const readBody = bodyReader(OrgChangesBody);
  return async (exchange) => {
    const body = await readBody(exchange);
    const { id, billing } = await knownOrg(exchange, organizations);
    // What can be refused comes first, so that a refusal has changed nothing.
    if (body.billingPlan !== undefined || body.creditLineUsd !== undefined) {
      await organizations.setBilling(id, billingOf(body, billing));
    }
    const { suspended, seats, vouched, memberDomains } = body;
    const change = { isSuspended: suspended, seats, isVouched: vouched, memberDomains };
    await organizations.change(id, change, OPERATOR);
    sendJson(exchange, 200, toAnswer(await knownOrg(exchange, organizations)));
  };
}

export function creditOrg({ organizations, ledger }: OrgAdminServices): Handler {
  const readBody = bodyReader(CreditBody);
  return async (exchange) => {
    const body = await readBody(exchange);
    const amountNanoUsd = creditAmount(body);
    const { id } = await knownOrg(exchange, organizations);
    const reference = creditReference(exchange, id);
    const balance = await ledger.credit({ accountId: id, amountNanoUsd, note: body.note ?? '', reference });
    const answer: BalanceAnswer = { balanceUsd: usdNumber(balance) };
    sendJson(exchange, 200, answer);
  };
}

export function createOrgKey({ database, identity, organizations, members, audit }: OrgAdminServices): Handler {
  const readBody = bodyReader(NewOrgKeyBody);
  return async (exchange) => {
    const { name, keyType, userId } = await readBody(exchange);
    const { id } = await knownOrg(exchange, organizations);
    const newKey = { name, keyType: keyType ?? 'standard', userId, accountId: id };
    const { key, secret } = await database.transaction(async (transaction) => {
      if ((await members.hold(transaction, id, userId)) === null) {
        throw new ApiError('http_404', 'userId: the organization has no such member.');
      }
      const made = await identity.createKey(transaction, newKey);
      await recordKeyChange(audit, transaction, OPERATOR, { before: null, after: made.key });
      return made;
    });
    const answer: NewKeyObject = { ...keyObject(key, NO_ACTIVITY), key: secret };
    sendJson(exchange, 201, answer);
  };
}

/** A field that is left out stays as it is; a prepaid organization has no credit line. */
function billingOf(wish: BillingWish, current: Billing): Billing {
  const kind = wish.billingPlan ?? current.kind;
  if (kind === 'prepaid') {
    if (wish.creditLineUsd === undefined) return { kind, creditLineNanoUsd: 0n };
    throw new ApiError('http_400', 'creditLineUsd: only an organization with the monthly plan has a credit line.');
  }
  if (wish.creditLineUsd === undefined) return { kind, creditLineNanoUsd: current.creditLineNanoUsd };
  const creditLineNanoUsd = parseUsdJson(wish.creditLineUsd);
  if (creditLineNanoUsd !== null && creditLineNanoUsd <= CREDIT_LINE_USD_MAX * NANO_PER_USD) {
    return { kind, creditLineNanoUsd };
  }
  throw new ApiError(
    'http_400',
    `creditLineUsd: must be an amount in USD with at most nine decimals, up to ${CREDIT_LINE_USD_MAX}.`,
  );
}

function toAnswer({ billing, balanceNanoUsd, seats, ...organization }: Organization): OrgStateAnswer {
  return {
    id: organization.id,
    name: organization.name,
    billingPlan: billing.kind,
    creditLineUsd: billing.kind === 'monthly' ? usdNumber(billing.creditLineNanoUsd) : null,
    balanceUsd: usdNumber(balanceNanoUsd),
    seats,
    suspended: organization.isSuspended,
    vouched: organization.isVouched,
    memberDomains: [...organization.memberDomains],
  };
}
