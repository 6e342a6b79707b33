// The constraints of the database that two requests at the same moment can violate, each with the error that the later
// one gets. Every module checks these conditions first and answers in the same words; this table is for the request
// that passed its check before the other one committed. All other violations are bugs of ours.

import { ApiError } from './api-error.ts';

type Refusal = Readonly<{ message: string; details?: Readonly<Record<string, unknown>> }>;

const TAKEN = { scimType: 'uniqueness' };
const TEAM_GONE: Refusal = { message: 'The team was deleted a moment ago.' };

/** By the name that the migrations give the constraint or the unique index. */
export const CONSTRAINT_REFUSALS: Readonly<Record<string, Refusal>> = {
  users_one_email: {
    message: 'A user with this email address exists already. Use another address.',
    details: TAKEN,
  },
  teams_one_name: { message: 'name: the organization has a team of this name already.', details: TAKEN },
  org_domains_confirmed: { message: 'Another organization has confirmed this domain. Ask the operator.' },
  org_invitations_one_open: { message: 'This address has an invitation already. Withdraw it to send another.' },
  provisioned_people_email: { message: 'There is another user of this name or address.', details: TAKEN },
  provisioned_people_user_name: { message: 'There is another user of this name or address.', details: TAKEN },
  statement_payments_once: { message: 'A payment of this reference was entered for the month already.' },
  statement_payments_one_final: { message: 'This statement is paid already.' },
  api_keys_team_id_fkey: TEAM_GONE,
  org_members_team: TEAM_GONE,
  org_invitations_team: TEAM_GONE,
};

/** Integrity violations of PostgreSQL. */
const INTEGRITY = /^23\d{3}$/;

/** Null for everything but the violation of a constraint in the table. */
export function refusalOfConstraint(thrown: unknown): ApiError | null {
  if (!(thrown instanceof Error)) return null;
  const { code, constraint } = thrown as Error & Readonly<{ code?: unknown; constraint?: unknown }>;
  if (typeof code !== 'string' || typeof constraint !== 'string' || !INTEGRITY.test(code)) return null;
  const refusal = Object.hasOwn(CONSTRAINT_REFUSALS, constraint) ? CONSTRAINT_REFUSALS[constraint] : undefined;
  if (refusal === undefined) return null;
  const { message, details } = refusal;
  return new ApiError('http_409', message, { cause: thrown, details });
}
