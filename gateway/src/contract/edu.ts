// The institution plan, as the API takes and shows it. The two forms that students send are answered in a form of their
// own, with one word as the error.

import { type Static, Type } from '@sinclair/typebox';
import { nameField } from './body-fields.ts';
import { count, listOf, moment, named, nextPage, oneOf, orNull, type Shape, text, usd } from './shape.ts';

const strict = { additionalProperties: false };

const DOMAINS_MAX = 100;
const SECONDS_PER_DAY = 86_400;
const COUNT_MAX = 1_000_000_000_000;

const name = nameField(200);

const whole = (maximum: number) =>
  Type.Integer({ minimum: 1, maximum, description: `a whole number from 1 to ${maximum}` });

const quota = Type.Union([Type.Integer({ minimum: 1, maximum: COUNT_MAX }), Type.Null()], {
  description: 'a whole number above zero, or null for no limit',
});

export const NewEduKeyBody = Type.Object({ name }, { ...strict, title: 'NewEduKeyBody' });

export const EduConfigBody = Type.Object(
  {
    allowedDomains: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 253, description: 'a mail domain, such as uni.example' }), {
        maxItems: DOMAINS_MAX,
        description: `a list of at most ${DOMAINS_MAX} mail domains`,
      }),
    ),
    sessionTtlSeconds: Type.Optional(whole(366 * SECONDS_PER_DAY)),
    verificationTtlSeconds: Type.Optional(whole(SECONDS_PER_DAY)),
    maxSessionsPerEmailPerKey: Type.Optional(whole(100)),
    maxRequests: Type.Optional(quota),
    maxTokens: Type.Optional(quota),
    maxUsd: Type.Optional(
      Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()], {
        description: 'an amount in USD above zero, or null for no limit',
      }),
    ),
  },
  { ...strict, title: 'EduConfigBody' },
);
export type EduConfigBody = Static<typeof EduConfigBody>;

export const EduConfigObject = Type.Object(
  {
    allowedDomains: listOf(Type.String(), 'Lower case and in ASCII.'),
    sessionTtlSeconds: count("How long a student's session lasts."),
    verificationTtlSeconds: count('How long a mailed code can be used.'),
    maxSessionsPerEmailPerKey: count('How many sessions a student may have at once.'),
    maxRequests: orNull(count('Calls of each session, in all; null for no limit.')),
    maxTokens: orNull(count('Tokens of each session, in all; null for no limit.')),
    maxUsd: orNull(usd('Spending of each session, in all; null for no limit.')),
  },
  named('InstitutionConfig'),
);
export type EduConfigObject = Shape<typeof EduConfigObject>;

const eduKeyFields = {
  id: text('The id of the key, used in paths.'),
  name: text('The name.'),
  prefix: text('The first characters of the secret.'),
  suffix: text('The last characters of the secret.'),
  createdAt: moment('When it was made.'),
};

export const EduKeyObject = Type.Object(eduKeyFields, named('InstitutionKey'));
export type EduKeyObject = Shape<typeof EduKeyObject>;

export const NewEduKeyObject = Type.Object(
  { ...eduKeyFields, key: text('The secret. It is shown only in this answer.') },
  named('NewInstitutionKey'),
);
export type NewEduKeyObject = Shape<typeof NewEduKeyObject>;

export const EduKeysAnswer = Type.Object({ keys: listOf(EduKeyObject) }, named('InstitutionKeyList'));
export type EduKeysAnswer = Shape<typeof EduKeysAnswer>;

export const EDU_SESSION_STATUSES = ['active', 'expired', 'revoked'] as const;

export const EduSessionObject = Type.Object(
  {
    id: text('The id of the session, used in paths.'),
    key: Type.Object({ id: Type.String(), name: Type.String() }),
    email: text("The student's address."),
    status: oneOf(EDU_SESSION_STATUSES, 'Whether it can be used.'),
    createdAt: moment('When it began.'),
    expiresAt: moment('When it ends.'),
    revokedAt: orNull(moment('When it was ended early; null when it was not.')),
    lastUsedAt: orNull(moment('When it last made a call.')),
    usage: Type.Object({
      requests: count('Calls so far.'),
      tokens: count('Tokens so far.'),
      usd: usd('Spent so far.'),
    }),
  },
  named('InstitutionSession'),
);
export type EduSessionObject = Shape<typeof EduSessionObject>;

export const EduSessionsAnswer = Type.Object(
  { sessions: listOf(EduSessionObject), nextCursor: nextPage('cursor') },
  named('InstitutionSessionList'),
);
export type EduSessionsAnswer = Shape<typeof EduSessionsAnswer>;

/** The two forms that students send. They are read by hand: a body that is not a form is answered like a wrong code. */
export const EduCodeForm = Type.Object(
  {
    key: Type.String({ minLength: 1, description: 'the key that the institution gave to its students' }),
    email: Type.String({ minLength: 1, description: "the student's address" }),
  },
  named('InstitutionCodeForm'),
);

export const EduVerifyForm = Type.Object(
  { ...EduCodeForm.properties, code: Type.String({ minLength: 1, description: 'the six digits of the mail' }) },
  named('InstitutionVerifyForm'),
);

export const CodeSentAnswer = Type.Object({ ok: Type.Literal(true), sent: Type.Literal(true) }, named('CodeSent'));
export type CodeSentAnswer = Shape<typeof CodeSentAnswer>;

export const EduSessionAnswer = Type.Object(
  {
    token: text('Send it as a Bearer token on chat completions and embeddings. It is shown only in this answer.'),
    expiresAt: moment('When it ends.'),
    organization: Type.Object({ id: Type.String(), name: Type.String() }),
  },
  named('InstitutionToken'),
);
export type EduSessionAnswer = Shape<typeof EduSessionAnswer>;

const usedOf = (used: string) =>
  Type.Object({ used: count(used), max: orNull(count('The limit; null for no limit.')) });

/** A student's view of the own session. */
export const OwnEduSessionObject = Type.Object(
  {
    expiresAt: moment('When it ends.'),
    requests: usedOf('Calls so far.'),
    tokens: usedOf('Tokens so far.'),
    usd: Type.Object({ used: usd('Spent so far.'), max: orNull(usd('What may be spent; null for no limit.')) }),
  },
  named('OwnInstitutionSession'),
);
export type OwnEduSessionObject = Shape<typeof OwnEduSessionObject>;

export const EduRefusal = Type.Object(
  { error: oneOf(['invalid', 'too_many_attempts', 'rate_limited', 'cooldown'], 'Why the request was refused.') },
  named('InstitutionRefusal'),
);
export type EduRefusal = Shape<typeof EduRefusal>;
