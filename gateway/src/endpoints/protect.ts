// Wraps a handler in what its row's access demands. The row decides; a wrapper on a row of another access is a mistake
// in the table, and fails at the first request instead of letting anybody in.

import type { ActingOperator, Caller, KeyType, Principal } from '../canonical/caller.ts';
import type { OrgRole } from '../contract/org-management.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Access, Exchange, Handler } from '../http/exchange.ts';
import type { ProvisioningTokens } from '../modules/orgs/provisioning/tokens.ts';
import { type AuthenticationServices, authenticate, bearerOf, unauthorized } from '../pipeline/authenticate.ts';
import {
  type ListingRateServices,
  limitDirectoryRate,
  limitListingRate,
  limitRate,
  limitSessionRate,
  type RateServices,
} from '../pipeline/limit-rate.ts';
import { assert } from '../platform/assert.ts';
import { identify, principalOf, type SessionServices } from './identify.ts';
import type { OperatorGate } from './operator-gate.ts';
import type { RoleServices } from './orgs/require-role.ts';

export type CallerHandler = (exchange: Exchange, caller: Caller) => void | Promise<void>;
/** For what an account's holder may do, with a key or with a session. */
export type AccountHandler = (exchange: Exchange, holder: AccountHolder) => void | Promise<void>;
export type AccountHolder = Readonly<{
  userId: string;
  accountId: string;
  /** Absent for a session. */
  keyType?: KeyType;
}>;
export type OperatorHandler = (exchange: Exchange, operator: ActingOperator) => void | Promise<void>;
/** For requests of an organization's directory. */
export type DirectoryHandler = (exchange: Exchange, orgId: string) => void | Promise<void>;
export type PrincipalHandler = (exchange: Exchange, principal: Principal) => void | Promise<void>;

/**
 * Whose figures a holder sees of an account: null for everybody's. A member's standard key shows what its holder did
 * with the organization's money; what others did is for roles that may read reports, by session or management key.
 */
export function figuresOf({ userId, accountId, keyType }: AccountHolder): string | null {
  return keyType === 'standard' && accountId !== userId ? userId : null;
}

export type ProtectServices = AuthenticationServices &
  SessionServices &
  RateServices &
  ListingRateServices &
  RoleServices &
  Readonly<{
    operatorGate: OperatorGate;
    provisioning: Readonly<{ tokens: Pick<ProvisioningTokens, 'find'> }>;
  }>;

export type Protect = Readonly<{
  /** For `account`, `management` and `model` rows: a valid key, within its rate limit. */
  caller(handle: CallerHandler): Handler;
  /** The same without counting against the rate limit. */
  uncountedCaller(handle: CallerHandler): Handler;
  /** For `person`, `manager` and `session` rows: a key or a session, as the row says, within the rate limit. */
  principal(handle: PrincipalHandler): Handler;
  /** For `directory` rows: a provisioning token, within its organization's rate limit. */
  directory(handle: DirectoryHandler): Handler;
  /** For `operator` rows. */
  operator(handle: OperatorHandler): Handler;
  /** For `public` listings: limited by address. */
  listing(handle: Handler): Handler;
}>;

const KEY_ACCESS: readonly Access[] = ['account', 'management', 'model'];
const PRINCIPAL_ACCESS: readonly Access[] = ['person', 'manager', 'session'];

export function createProtect(services: ProtectServices): Protect {
  return {
    caller: (handle) => async (exchange) => {
      assertAccess(exchange, KEY_ACCESS);
      const caller = await authenticate(exchange, services);
      await limitRate(exchange, caller, services);
      await handle(exchange, await withPresentRole(caller, services));
    },
    uncountedCaller: (handle) => async (exchange) => {
      assertAccess(exchange, KEY_ACCESS);
      await handle(exchange, await authenticate(exchange, services));
    },
    principal: (handle) => async (exchange) => {
      assertAccess(exchange, PRINCIPAL_ACCESS);
      const principal = await identify(exchange, services);
      if (principal.credential === 'session') await limitSessionRate(exchange, principal.userId, services);
      else await limitRate(exchange, principal, services);
      await handle(exchange, principal);
    },
    directory: (handle) => async (exchange) => {
      assertAccess(exchange, ['directory']);
      const { orgId, isSuspended } = (await services.provisioning.tokens.find(bearerOf(exchange))) ?? {};
      if (orgId === undefined) throw unauthorized();
      await limitDirectoryRate(exchange, orgId, services);
      if (isSuspended === true) throw new ApiError('http_403', 'This organization is suspended. Ask the operator.');
      await handle(exchange, orgId);
    },
    operator: (handle) => async (exchange) => {
      assertAccess(exchange, ['operator']);
      await handle(exchange, await services.operatorGate.enter(exchange));
    },
    listing: (handle) => async (exchange) => {
      assertAccess(exchange, ['public']);
      await limitListingRate(exchange, services);
      await handle(exchange);
    },
  };
}

/**
 * The holder of a management key manages like a person with a session: rows that take only keys share their handlers
 * with those that take both.
 */
export const asPrincipal =
  (handle: PrincipalHandler): CallerHandler =>
  (exchange, caller) =>
    handle(exchange, principalOf(caller));

/**
 * A management key of an organization has no power of its own: it acts with its holder's present role. A holder who may
 * no longer see others' figures sees with it what a standard key shows, and a former member sees nothing.
 */
async function withPresentRole(caller: Caller, { members }: RoleServices): Promise<Caller> {
  const { keyType, accountId, userId } = caller;
  if (keyType !== 'management' || accountId === userId) return caller;
  const member = await members.memberOf(accountId, userId);
  if (member === null)
    throw new ApiError(
      'http_403',
      'The holder of this key does not belong to the organization. Use a key of one of its members.',
    );
  return FIGURE_ROLES.includes(member.role) ? caller : { ...caller, keyType: 'standard' };
}

/** Roles that see what everybody in an organization has used. */
const FIGURE_ROLES: readonly OrgRole[] = ['org_admin', 'billing_viewer'];

function assertAccess(exchange: Exchange, accepted: readonly Access[]): void {
  assert(accepted.includes(exchange.route.access), `${exchange.route.path} is wrapped for another access`);
}
