// Organizations as their own people see and manage them. Budgets are USD numbers; null means no limit.

import { type Static, Type } from '@sinclair/typebox';
import { nameField } from './body-fields.ts';
import { cacheTtlSeconds } from './keys.ts';
import { count, flag, listOf, moment, named, nextPage, oneOf, orNull, type Shape, text, usd } from './shape.ts';

const strict = { additionalProperties: false };

const id = Type.String({ minLength: 1, maxLength: 100, pattern: '^[\\w-]+$', description: 'an id' });
const lineOrNull = <Schema extends ReturnType<typeof nameField>>(schema: Schema) =>
  Type.Union([schema, Type.Null()], { description: `${schema.description} or null` });
const name = nameField(200);
const budget = Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
  description: 'an amount in USD from 0 to nine billion, or null',
});
const email = Type.String({ minLength: 3, maxLength: 320, description: 'an email address' });
const mayInvite = Type.Boolean({ description: 'true or false' });

export const ORG_ROLES = ['org_admin', 'billing_viewer', 'team_admin', 'member'] as const;
export type OrgRole = (typeof ORG_ROLES)[number];

export const role = Type.Union(
  ORG_ROLES.map((value) => Type.Literal(value)),
  { description: `one of ${ORG_ROLES.join(', ')}` },
);

export const FoundOrgBody = Type.Object({ name }, { ...strict, title: 'FoundOrgBody' });

const transcripts = Type.Union(
  [
    Type.Object(
      {
        days: Type.Integer({ minimum: 1, maximum: 365, description: 'a number of days from 1 to 365' }),
        samplePercent: Type.Integer({ minimum: 1, maximum: 100, description: 'a number from 1 to 100' }),
        readers: Type.Array(role, { minItems: 1, maxItems: 4, uniqueItems: true, description: 'a list of roles' }),
      },
      strict,
    ),
    Type.Null(),
  ],
  { description: 'an object with days, samplePercent and readers, or null' },
);

export const ChangeOrgBody = Type.Object(
  {
    name: Type.Optional(name),
    settings: Type.Optional(
      Type.Object(
        {
          defaultMemberBudget: Type.Optional(budget),
          teamAdminsMayInvite: Type.Optional(mayInvite),
          needsSecondFactor: Type.Optional(Type.Boolean({ description: 'true or false' })),
          cacheTtlSeconds: Type.Optional(cacheTtlSeconds),
          cacheShared: Type.Optional(Type.Boolean({ description: 'true or false' })),
          transcripts: Type.Optional(transcripts),
        },
        { ...strict, description: 'an object of settings' },
      ),
    ),
  },
  { ...strict, title: 'ChangeOrgBody' },
);
export type ChangeOrgBody = Static<typeof ChangeOrgBody>;

const teamFields = {
  description: Type.Optional(lineOrNull(nameField(1000))),
  costCenterCode: Type.Optional(lineOrNull(nameField(100))),
  permissionScope: Type.Optional(
    Type.Array(nameField(100), { maxItems: 100, description: 'a list of at most 100 short texts' }),
  ),
  monthlyBudget: Type.Optional(budget),
};

export const NewTeamBody = Type.Object({ name, ...teamFields }, { ...strict, title: 'NewTeamBody' });
export const ChangeTeamBody = Type.Object(
  { name: Type.Optional(name), ...teamFields },
  { ...strict, title: 'ChangeTeamBody' },
);
export type ChangeTeamBody = Static<typeof ChangeTeamBody>;

const memberFields = {
  role: Type.Optional(role),
  teamId: Type.Optional(lineOrNull(id)),
  monthlyBudget: Type.Optional(budget),
};

/** For a member who is added directly, and for an invitation. */
export const NewMemberBody = Type.Object({ email, ...memberFields }, { ...strict, title: 'NewMemberBody' });
export const ChangeMemberBody = Type.Object(memberFields, { ...strict, title: 'ChangeMemberBody' });

export const AcceptInvitationBody = Type.Object(
  {
    token: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'the token of an invitation' })),
    id: Type.Optional(id),
  },
  { ...strict, title: 'AcceptInvitationBody' },
);

export const DeclineInvitationBody = Type.Object({ id }, { ...strict, title: 'DeclineInvitationBody' });

const ENTRY = '^[a-z0-9][a-z0-9._-]*/(?:\\*|[a-z0-9][a-z0-9._-]*(?::[a-z0-9._-]+)?)$';

export const AllowedModelsBody = Type.Object(
  {
    allowedModels: Type.Array(
      Type.String({
        maxLength: 100,
        pattern: ENTRY,
        description: 'lower case <provider>/<model> or <provider>/*, of at most 100 characters',
      }),
      { maxItems: 200, description: 'a list of at most 200 entries' },
    ),
  },
  { ...strict, title: 'AllowedModelsBody' },
);

const NamedThing = Type.Object({ id: Type.String(), name: Type.String() });
const orgRole = oneOf(ORG_ROLES, 'What the member may do.');

export const MembershipsAnswer = Type.Object(
  {
    orgs: listOf(
      Type.Object({
        id: text('The id of the organization, used in paths.'),
        name: text('The name.'),
        role: orgRole,
        memberId: text("The caller's own membership."),
        teamId: orNull(text('The team that the caller is in.')),
        joinedAt: moment('When the caller joined.'),
        credits: usd('The balance; negative when the organization owes money.'),
        status: oneOf(
          ['active', 'suspended'],
          'Whether the organization is active; keys of a suspended one are refused.',
        ),
      }),
    ),
  },
  named('Memberships'),
);
export type MembershipsAnswer = Shape<typeof MembershipsAnswer>;

export const OrgDetailAnswer = Type.Object(
  {
    id: text('The id of the organization, used in paths.'),
    name: text('The name.'),
    billingPlan: oneOf(['prepaid', 'monthly'], 'Whether the organization pays in advance or after each month.'),
    creditLine: orNull(usd('How far it may go below zero; null for prepaid.')),
    seats: count('How many members it has room for.'),
    credits: usd('The balance; negative when the organization owes money.'),
    settings: Type.Object({
      defaultMemberBudget: orNull(usd('What a new member may spend in a month; null for no limit.')),
      teamAdminsMayInvite: flag('True: administrators of teams may invite people.'),
      needsSecondFactor: flag('Its pages open only for members who signed in with a second factor.'),
      cacheTtlSeconds: orNull(
        count(
          'For how many seconds answers may be given again from the cache, where neither the call nor its key says otherwise; 0: never.',
        ),
      ),
      cacheShared: flag('True: members share the cache of answers.'),
      transcripts: orNull(
        Type.Object(
          {
            days: count('For how many days prompts and answers are kept.'),
            samplePercent: count('Of how many percent of the calls.'),
            readers: listOf(Type.String(), 'Which roles may read them.'),
          },
          { description: 'Whether prompts and answers are kept, and how; null: they are not.' },
        ),
      ),
    }),
    teamCount: count('How many teams it has.'),
    memberCount: count('How many members it has.'),
  },
  named('Organization'),
);
export type OrgDetailAnswer = Shape<typeof OrgDetailAnswer>;

const monthSpend = usd('Spent in this month (UTC).');
const teamObjectFields = {
  id: text('The id of the team, used in paths.'),
  name: text('Unique in the organization.'),
  description: orNull(Type.String()),
  costCenterCode: orNull(Type.String()),
  permissionScope: listOf(Type.String()),
  monthlyBudget: orNull(usd('What it may spend in a month; null for no limit.')),
  memberCount: count('How many members it has.'),
};

export const TeamObject = Type.Object(teamObjectFields, named('Team'));
export type TeamObject = Shape<typeof TeamObject>;

export const TeamsAnswer = Type.Object(
  { teams: listOf(Type.Object({ ...teamObjectFields, monthSpend })) },
  named('TeamList'),
);
export type TeamsAnswer = Shape<typeof TeamsAnswer>;

const memberObjectFields = {
  id: text('The id of the member, used in paths.'),
  user: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String() }),
  team: orNull(NamedThing),
  teamId: orNull(Type.String()),
  role: orgRole,
  joinedAt: moment('When the member joined.'),
  monthlyBudget: orNull(usd('What the member may spend in a month; null for no limit.')),
};

export const MemberObject = Type.Object(memberObjectFields, named('Member'));
export type MemberObject = Shape<typeof MemberObject>;

export const MembersAnswer = Type.Object(
  { members: listOf(Type.Object({ ...memberObjectFields, monthSpend })) },
  named('MemberList'),
);
export type MembersAnswer = Shape<typeof MembersAnswer>;

export const InvitationObject = Type.Object(
  {
    id: text('The id of the invitation, used in paths.'),
    email: text('Who is invited.'),
    role: orgRole,
    team: orNull(NamedThing),
    monthlyBudget: orNull(usd('What the member will be allowed to spend in a month; null for no limit.')),
    invitedBy: orNull(NamedThing),
    createdAt: moment('When it was sent.'),
    expiresAt: moment('When it ends.'),
    expired: flag('It has ended.'),
  },
  named('Invitation'),
);
export type InvitationObject = Shape<typeof InvitationObject>;

export const InvitationsAnswer = Type.Object({ invitations: listOf(InvitationObject) }, named('InvitationList'));
export type InvitationsAnswer = Shape<typeof InvitationsAnswer>;

/** What the holder of a link may see before signing in. */
export const InvitationPreview = Type.Object(
  {
    organization: Type.Object({ name: Type.String() }),
    email: text('Who is invited.'),
    role: orgRole,
    expiresAt: moment('When it ends.'),
  },
  named('InvitationPreview'),
);
export type InvitationPreview = Shape<typeof InvitationPreview>;

export const AcceptedInvitation = Type.Object(
  { organization: NamedThing, member: MemberObject },
  named('AcceptedInvitation'),
);
export type AcceptedInvitation = Shape<typeof AcceptedInvitation>;

/** Everything that a person has in organizations, for that person. */
export const HeldAnswer = Type.Object(
  {
    organizations: listOf(
      Type.Object({
        id: text('The id of the organization, used in paths.'),
        name: text('The name.'),
        role: orgRole,
        joinedAt: moment('When you joined.'),
        keys: listOf(
          Type.Object({
            id: Type.String(),
            name: Type.String(),
            keyPrefix: Type.String(),
            keySuffix: Type.String(),
            createdAt: moment('When it was made.'),
          }),
          'Keys of the organization in your name.',
        ),
      }),
    ),
    invitations: listOf(
      Type.Object({
        id: text('The id to send when you accept or decline the invitation.'),
        organization: Type.Object({ name: Type.String() }),
        role: orgRole,
        invitedBy: orNull(text('Who sent it.')),
        createdAt: moment('When it was sent.'),
        expiresAt: moment('When it ends.'),
      }),
      'What you could accept now.',
    ),
    evidence: listOf(
      Type.Object({
        organizationId: orNull(text('The organization whose key was used; null for your own key.')),
        categories: listOf(Type.String(), 'Why the prompt was refused.'),
        operation: Type.String(),
        createdAt: moment('When it was refused.'),
      }),
      'Prompts that moderation refused and that are kept for a while; the newest hundred.',
    ),
  },
  named('HeldInYourName'),
);
export type HeldAnswer = Shape<typeof HeldAnswer>;

export const AllowedModelsAnswer = Type.Object(
  {
    allowedModels: listOf(Type.String(), 'The models that this layer allows; empty for all.'),
    effective: orNull(listOf(Type.String(), 'The models that all layers together allow; null for all.')),
  },
  named('AllowedModels'),
);
export type AllowedModelsAnswer = Shape<typeof AllowedModelsAnswer>;

const loggedValues = orNull(Type.Record(Type.String(), Type.Unknown()));

export const AuditLogAnswer = Type.Object(
  {
    entries: listOf(
      Type.Object({
        id: Type.String(),
        action: text('What was done, such as `org.key.create`.'),
        actor: Type.Object({
          kind: oneOf(['user', 'key', 'operator', 'system'], 'Who did it.'),
          userId: orNull(Type.String()),
          keyId: orNull(Type.String()),
          name: orNull(Type.String()),
          email: orNull(Type.String()),
        }),
        targetType: text('What it was done to.'),
        targetId: Type.String(),
        before: loggedValues,
        after: loggedValues,
        createdAt: moment('When.'),
      }),
    ),
    nextCursor: nextPage('cursor'),
  },
  named('AuditLog'),
);
export type AuditLogAnswer = Shape<typeof AuditLogAnswer>;
