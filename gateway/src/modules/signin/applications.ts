// Applications that ask a user for a key of their own (OAuth with PKCE, in the form that OpenRouter's clients use). The
// user agrees in the console and the application gets a code; only the application that began, and has the verifier of
// its challenge, can exchange it, once and within ten minutes. A wrong verifier uses up the code too.

import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { withRoom } from '../../platform/db/with-room.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { insertGrant, takeGrant } from './store/application-grants.ts';
import { hashToken, newSessionToken } from './token.ts';

/** What a user has agreed to: a key of this name, with these bounds. */
type AgreedKey = Readonly<{
  userId: string;
  name: string;
  spendLimitNanoUsd: NanoUsd | null;
  spendLimitPeriod: string | null;
  expiresAtMs: number | null;
}>;

type Grant = Readonly<{ codeChallenge: string; key: AgreedKey }>;

export type Applications = Readonly<{
  /** The code for the application; null when too many codes of the user are open. */
  grant(grant: Grant): Promise<string | null>;
  /** The key that the user agreed to; null when code or verifier are wrong. The code is used up either way. */
  redeem(code: string, codeVerifier: string): Promise<AgreedKey | null>;
}>;

const CODE_MS = 600_000;
const OPEN_MAX = 20;

type ApplicationsOptions = Readonly<{ database: Database; clock: Clock; pepper: Buffer }>;

export function createApplications({ database, clock, pepper }: ApplicationsOptions): Applications {
  return {
    async grant({ codeChallenge, key }) {
      const code = newSessionToken();
      const nowMs = clock.nowMs();
      const row = {
        codeHash: hashToken(pepper, 'application', code),
        expiresAtMs: nowMs + CODE_MS,
        grant: {
          user_id: key.userId,
          code_challenge: codeChallenge,
          key_name: key.name,
          spend_limit_nano_usd: key.spendLimitNanoUsd,
          spend_limit_period: key.spendLimitPeriod,
          key_expires_at: key.expiresAtMs === null ? null : new Date(key.expiresAtMs),
        },
      };
      const isKept = await withRoom(database, key.userId, (transaction) =>
        insertGrant(transaction, row, { nowMs, openMax: OPEN_MAX }),
      );
      return isKept ? code : null;
    },
    async redeem(code, codeVerifier) {
      const row = await takeGrant(database, hashToken(pepper, 'application', code), clock.nowMs());
      if (row === null || row.code_challenge !== challengeOf(codeVerifier)) return null;
      return {
        userId: row.user_id,
        name: row.key_name,
        spendLimitNanoUsd: row.spend_limit_nano_usd,
        spendLimitPeriod: row.spend_limit_period,
        expiresAtMs: row.key_expires_at?.getTime() ?? null,
      };
    },
  };
}

/** RFC 7636, method S256. */
const challengeOf = (codeVerifier: string): string => createHash('sha256').update(codeVerifier).digest('base64url');
