// The roles of an organization in words.

import type { OrganizationRole } from '../../api/session.ts';

export const ROLE_NAMES: Readonly<Record<OrganizationRole, string>> = {
  org_admin: 'Administrator',
  billing_viewer: 'Billing viewer',
  team_admin: 'Team administrator',
  member: 'Member',
};

export const ROLE_HINTS: Readonly<Record<OrganizationRole, string>> = {
  org_admin: 'Everything in the organization.',
  billing_viewer: 'Reads the overview, credits, keys and reports. Changes nothing.',
  team_admin: 'Looks after one team: its members, invitations, keys, budgets and breakers.',
  member: 'Uses the keys that an administrator hands out.',
};
