// What each kind of principal gets, by the name of a policy. `in` is the row's status of success; the others are the
// statuses of refusals. A row that differs in one cell spreads a profile and changes that cell.

import type { Kind } from './world.ts';

type Outcome = 'in' | 400 | 401 | 403 | 404;
export type Profile = Readonly<Record<Kind, Outcome>>;

const strangers = { none: 401, bad: 401, disabled: 401, revoked: 401, expired: 401, directory: 401 } as const;

const keys = (outcome: Readonly<{ standard: Outcome; management: Outcome }>) =>
  ({
    standardOwn: outcome.standard,
    standardForeign: outcome.standard,
    managementOwn: outcome.management,
    managementForeign: outcome.management,
    member: outcome.management,
    teamAdmin: outcome.management,
    billingViewer: outcome.management,
    orgAdmin: outcome.management,
  }) as const;

export const anybody: Profile = {
  ...{ none: 'in', bad: 'in', disabled: 'in', revoked: 'in', expired: 'in', directory: 'in' },
  ...keys({ standard: 'in', management: 'in' }),
  student: 'in',
  cookie: 'in',
  operator: 'in',
};

export const model: Profile = {
  ...strangers,
  ...keys({ standard: 'in', management: 403 }),
  student: 403,
  cookie: 401,
  operator: 401,
};

/** What an institution's sessions open too. */
export const modelAndStudent: Profile = { ...model, student: 'in' };

/** Any key, about its own account. */
export const account: Profile = { ...model, ...keys({ standard: 'in', management: 'in' }) };

/** Any key or session, about its own account. */
export const personal: Profile = { ...account, cookie: 'in' };

/** About one thing that Ann's own account has. */
export const annsOwn: Profile = {
  ...account,
  standardForeign: 404,
  managementForeign: 404,
  member: 404,
  teamAdmin: 404,
  billingViewer: 404,
  orgAdmin: 404,
};

/** About one thing that a key of Ann's own has had run. */
export const annsWork: Profile = { ...model, standardForeign: 404 };

export const management: Profile = { ...account, ...keys({ standard: 403, management: 'in' }) };

/** One key of Ann's own account. */
export const annsKey: Profile = { ...annsOwn, standardOwn: 403, standardForeign: 403, cookie: 'in' };

export const session: Profile = { ...model, ...keys({ standard: 401, management: 401 }), student: 401, cookie: 'in' };

/** A session of an institution, about itself. */
export const student: Profile = { ...model, ...keys({ standard: 403, management: 403 }), student: 'in' };

/** The organization Acme, for its administrators alone. */
export const orgAdmin: Profile = {
  ...management,
  managementForeign: 404,
  member: 403,
  teamAdmin: 403,
  billingViewer: 403,
  cookie: 'in',
};

/** The organization that a key is bound to, for its administrators alone. */
export const byok: Profile = { ...orgAdmin, managementOwn: 403, managementForeign: 403, cookie: 401 };

export const orgBilling: Profile = { ...orgAdmin, billingViewer: 'in' };
export const orgTeam: Profile = { ...orgAdmin, teamAdmin: 'in' };
export const orgTeamAndBilling: Profile = { ...orgTeam, billingViewer: 'in' };
export const orgMembers: Profile = { ...orgTeamAndBilling, member: 'in' };

/** An organization's directory, with its token. */
export const directory: Profile = {
  ...strangers,
  ...keys({ standard: 401, management: 401 }),
  student: 401,
  cookie: 401,
  operator: 401,
  directory: 'in',
};

export const operator: Profile = {
  ...strangers,
  ...keys({ standard: 401, management: 401 }),
  student: 401,
  cookie: 401,
  operator: 'in',
};
