// Organizations as their own people see and manage them. Unknown fields are refused by name. Budgets are USD numbers;
// null means no limit.

import { type Static, Type } from '@sinclair/typebox';

const strict = { additionalProperties: false };

/** Text that a person typed on one line: something to read, and no control characters. */
const line = (lengthMax: number) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f][^\\u0000-\\u001f\\u007f]*$',
    description: `text of 1 to ${lengthMax} characters`,
  });

const id = Type.String({ minLength: 1, maxLength: 100, pattern: '^[\\w-]+$', description: 'an id' });
const orNull = <Schema extends ReturnType<typeof line>>(schema: Schema) =>
  Type.Union([schema, Type.Null()], { description: `${schema.description} or null` });
const name = line(200);
const budget = Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
  description: 'an amount in USD that is not negative, or null',
});
const email = Type.String({ minLength: 3, maxLength: 320, description: 'an email address' });
const flag = Type.Boolean({ description: 'true or false' });

export const ROLES = ['org_admin', 'billing_viewer', 'team_admin', 'member'] as const;
export type OrgRole = (typeof ROLES)[number];

const role = Type.Union(
  ROLES.map((value) => Type.Literal(value)),
  { description: `one of ${ROLES.join(', ')}` },
);

export const FoundOrgBody = Type.Object({ name }, strict);

export const ChangeOrgBody = Type.Object(
  {
    name: Type.Optional(name),
    settings: Type.Optional(
      Type.Object(
        { defaultMemberBudget: Type.Optional(budget), teamAdminsMayInvite: Type.Optional(flag) },
        { ...strict, description: 'an object of settings' },
      ),
    ),
  },
  strict,
);
export type ChangeOrgBody = Static<typeof ChangeOrgBody>;

const teamFields = {
  description: Type.Optional(orNull(line(1000))),
  costCenterCode: Type.Optional(orNull(line(100))),
  permissionScope: Type.Optional(
    Type.Array(line(100), { maxItems: 100, description: 'a list of at most 100 short texts' }),
  ),
  monthlyBudget: Type.Optional(budget),
};

export const NewTeamBody = Type.Object({ name, ...teamFields }, strict);
export const ChangeTeamBody = Type.Object({ name: Type.Optional(name), ...teamFields }, strict);
export type ChangeTeamBody = Static<typeof ChangeTeamBody>;

const memberFields = {
  role: Type.Optional(role),
  teamId: Type.Optional(orNull(id)),
  monthlyBudget: Type.Optional(budget),
};

/** Of a member who is added directly, and of an invitation. */
export const NewMemberBody = Type.Object({ email, ...memberFields }, strict);
export const ChangeMemberBody = Type.Object(memberFields, strict);

export const AcceptInvitationBody = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 200, description: 'the token of an invitation' }) },
  strict,
);

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
  strict,
);

export type MembershipsAnswer = Readonly<{
  orgs: readonly Readonly<{
    id: string;
    name: string;
    role: OrgRole;
    memberId: string;
    teamId: string | null;
    joinedAt: string;
    /** The balance in USD; below zero: what is owed. */
    credits: number;
    status: 'active' | 'suspended';
  }>[];
}>;

export type OrgDetailAnswer = Readonly<{
  id: string;
  name: string;
  billingPlan: 'prepaid' | 'monthly';
  /** Null for prepaid. */
  creditLine: number | null;
  seats: number;
  credits: number;
  settings: Readonly<{ defaultMemberBudget: number | null; teamAdminsMayInvite: boolean }>;
  teamCount: number;
  memberCount: number;
}>;

export type TeamObject = Readonly<{
  id: string;
  name: string;
  description: string | null;
  costCenterCode: string | null;
  permissionScope: readonly string[];
  monthlyBudget: number | null;
  memberCount: number;
}>;

/** In lists: with what was spent in this month of UTC. */
export type TeamsAnswer = Readonly<{ teams: readonly (TeamObject & Readonly<{ monthSpend: number }>)[] }>;

export type MemberObject = Readonly<{
  id: string;
  user: Readonly<{ id: string; name: string; email: string }>;
  team: Readonly<{ id: string; name: string }> | null;
  teamId: string | null;
  role: OrgRole;
  joinedAt: string;
  monthlyBudget: number | null;
}>;

export type MembersAnswer = Readonly<{ members: readonly (MemberObject & Readonly<{ monthSpend: number }>)[] }>;

export type InvitationObject = Readonly<{
  id: string;
  email: string;
  role: OrgRole;
  team: Readonly<{ id: string; name: string }> | null;
  monthlyBudget: number | null;
  invitedBy: Readonly<{ id: string; name: string }> | null;
  createdAt: string;
  expiresAt: string;
  expired: boolean;
}>;

export type InvitationsAnswer = Readonly<{ invitations: readonly InvitationObject[] }>;

/** What the holder of a link sees before signing in. */
export type InvitationPreview = Readonly<{
  organization: Readonly<{ name: string }>;
  email: string;
  role: OrgRole;
  expiresAt: string;
}>;

export type AcceptedInvitation = Readonly<{
  organization: Readonly<{ id: string; name: string }>;
  member: MemberObject;
}>;

export type AllowedModelsAnswer = Readonly<{
  allowedModels: readonly string[];
  /** What is left with the layers above; null when every model is allowed. */
  effective: readonly string[] | null;
}>;

export type AuditLogAnswer = Readonly<{
  entries: readonly Readonly<{
    id: string;
    action: string;
    actor: Readonly<{
      kind: 'user' | 'key' | 'operator' | 'system';
      userId: string | null;
      keyId: string | null;
      name: string | null;
      email: string | null;
    }>;
    targetType: string;
    targetId: string;
    before: Readonly<Record<string, unknown>> | null;
    after: Readonly<Record<string, unknown>> | null;
    createdAt: string;
  }>[];
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null;
}>;
