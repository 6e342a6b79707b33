// The institution plan, as the API takes and shows it. The two forms that students send answer in a form of their own,
// with a bare word for an error.

import { type Static, Type } from '@sinclair/typebox';

const strict = { additionalProperties: false };

const DOMAINS_MAX = 100;
const SECONDS_PER_DAY = 86_400;
const COUNT_MAX = 1_000_000_000_000;

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f][^\\u0000-\\u001f\\u007f]*$',
  description: 'text of 1 to 200 characters',
});

const whole = (maximum: number) =>
  Type.Integer({ minimum: 1, maximum, description: `a whole number from 1 to ${maximum}` });

const quota = Type.Union([Type.Integer({ minimum: 1, maximum: COUNT_MAX }), Type.Null()], {
  description: 'a whole number above zero, or null for no limit',
});

export const NewEduKeyBody = Type.Object({ name }, strict);

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
  strict,
);
export type EduConfigBody = Static<typeof EduConfigBody>;

export type EduConfigObject = Readonly<{
  /** Lower case and in ASCII. */
  allowedDomains: readonly string[];
  sessionTtlSeconds: number;
  verificationTtlSeconds: number;
  maxSessionsPerEmailPerKey: number;
  /** Of each session, in all; null for no limit. */
  maxRequests: number | null;
  maxTokens: number | null;
  maxUsd: number | null;
}>;

export type EduKeyObject = Readonly<{ id: string; name: string; prefix: string; suffix: string; createdAt: string }>;

/** The secret is in this answer and nowhere else. */
export type NewEduKeyObject = EduKeyObject & Readonly<{ key: string }>;

export type EduKeysAnswer = Readonly<{ keys: readonly EduKeyObject[] }>;

export type EduSessionObject = Readonly<{
  id: string;
  key: Readonly<{ id: string; name: string }>;
  email: string;
  status: 'active' | 'expired' | 'revoked';
  createdAt: string;
  expiresAt: string;
  revokedAt: string | null;
  lastUsedAt: string | null;
  usage: Readonly<{ requests: number; tokens: number; usd: number }>;
}>;

export type EduSessionsAnswer = Readonly<{
  sessions: readonly EduSessionObject[];
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null;
}>;

export type CodeSentAnswer = Readonly<{ ok: true; sent: true }>;

export type EduSessionAnswer = Readonly<{
  token: string;
  expiresAt: string;
  organization: Readonly<{ id: string; name: string }>;
}>;

export type EduRefusal = Readonly<{ error: 'invalid' | 'too_many_attempts' | 'rate_limited' | 'cooldown' }>;
