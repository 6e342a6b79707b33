// The parts of an organization that people manage, made together: they lock the same row and write to the same log.

import { createModelLists, type ModelLists } from './allowed-models.ts';
import { createDomains, type Domains, type DomainsOptions } from './domains.ts';
import { createInvitations, type Invitations, type InvitationsOptions } from './invitations.ts';
import { createMembers, type Members, type MembersOptions } from './members.ts';
import { createOrganizations, type Organizations, type OrganizationsOptions } from './orgs.ts';
import { createGroups, type GroupsOptions, type ProvisionedGroups } from './provisioning/groups.ts';
import { createPeople, type PeopleOptions, type ProvisionedPeople } from './provisioning/people.ts';
import { createTokens, type ProvisioningTokens, type TokensOptions } from './provisioning/tokens.ts';
import { createTeams, type Teams, type TeamsOptions } from './teams.ts';

export type OrgServices = Readonly<{
  organizations: Organizations;
  members: Members;
  teams: Teams;
  invitations: Invitations;
  modelLists: ModelLists;
  domains: Domains;
  /** What an organization's directory sends (SCIM). */
  provisioning: Readonly<{ tokens: ProvisioningTokens; people: ProvisionedPeople; groups: ProvisionedGroups }>;
}>;

type OrgOptions = Readonly<{ recordOfDirectory: PeopleOptions['record'] }> &
  OrganizationsOptions &
  MembersOptions &
  TeamsOptions &
  InvitationsOptions &
  DomainsOptions &
  TokensOptions &
  PeopleOptions &
  GroupsOptions;

export function createOrgServices(options: OrgOptions): OrgServices {
  const ofDirectory = { ...options, record: options.recordOfDirectory };
  return {
    organizations: createOrganizations(options),
    members: createMembers(options),
    teams: createTeams(options),
    invitations: createInvitations(options),
    modelLists: createModelLists(options),
    domains: createDomains(options),
    provisioning: {
      tokens: createTokens(options),
      people: createPeople(ofDirectory),
      groups: createGroups(ofDirectory),
    },
  };
}
