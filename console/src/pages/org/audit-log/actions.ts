// What the log's actions mean. An action that is not known here is shown by its name: the log outlives this page.

const TEXTS: Readonly<Record<string, string>> = {
  'org.create': 'Founded the organization',
  'org.settings.update': 'Changed the settings',
  'org.billing.update': 'Changed the billing',
  'org.allowed_models.update': 'Changed the allowed models',
  'team.allowed_models.update': 'Changed a team’s allowed models',
  'org_member.allowed_models.update': 'Changed a member’s allowed models',
  'team.create': 'Created a team',
  'team.update': 'Changed a team',
  'team.delete': 'Deleted a team',
  'org_member.add': 'Added a member',
  'org_member.update': 'Changed a member',
  'org_member.remove': 'Removed a member',
  'org.invitation.create': 'Sent an invitation',
  'org.invitation.accept': 'Accepted an invitation',
  'org.invitation.withdraw': 'Withdrew an invitation',
  'org.key.create': 'Created a key',
  'org.key.update': 'Changed a key',
  'org.key.revoke': 'Revoked a key',
  'org.cb.update': 'Changed the breaker',
  'team.cb.update': 'Changed a team’s breaker',
  'org_member.cb.update': 'Changed a member’s breaker',
  'org.cb.tripped': 'The breaker tripped',
  'team.cb.tripped': 'A team’s breaker tripped',
  'org_member.cb.tripped': 'A member’s breaker tripped',
  'org.filter.create': 'Created a filter rule',
  'org.filter.update': 'Changed a filter rule',
  'org.filter.delete': 'Deleted a filter rule',
  'org.filter.hit': 'A filter rule was hit',
  'org.notice_address.create': 'Added an address for notices',
  'org.notice_address.update': 'Changed an address for notices',
  'org.notice_address.delete': 'Deleted an address for notices',
  'org.byok_key.create': 'Added an upstream key',
  'org.byok_key.update': 'Changed an upstream key',
  'org.byok_key.delete': 'Deleted an upstream key',
  'org.edu_key.create': 'Created a student key',
  'org.edu_key.delete': 'Revoked a student key',
  'org.edu_config.update': 'Changed the institution’s rules',
  'org.edu_session.revoke': 'Ended a student’s session',
  'edu.code_request.failed': 'A student was refused a code',
};

export const actionText = (action: string): string => TEXTS[action] ?? action;

const GROUPS = [
  ['Organization', /^org\.(create|settings|billing|allowed_models)/],
  ['Teams', /^team\.(create|update|delete|allowed_models)/],
  ['People', /^(org_member\.(add|update|remove|allowed_models)|org\.invitation)/],
  ['Keys', /^org\.key/],
  ['Breakers', /\.cb\./],
  ['Content filters', /^org\.filter/],
  ['Notices', /^org\.notice_address/],
  ['Own upstreams', /^org\.byok_key/],
  ['Institution', /edu/],
] as const;

export const ACTION_GROUPS: readonly (readonly [string, readonly string[]])[] = GROUPS.map(([name, pattern]) => [
  name,
  Object.keys(TEXTS).filter((action) => pattern.test(action)),
]);
