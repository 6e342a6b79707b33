// Applications that ask a user for a key of their own (OAuth with PKCE, in the form that OpenRouter's clients use). The
// user agrees in the console and the application gets a code; only the application that began, and has the verifier of
// its challenge, can exchange it, once and within ten minutes. A wrong verifier uses up the code too.

import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { withRoom } from '../../platform/db/with-room.ts';
import { type GrantRow, insertGrant, takeGrant } from './store/application-grants.ts';
import { hashToken, newSessionToken } from './token.ts';

type AgreedKey = Omit<GrantRow, 'codeChallenge' | 'expiresAt'> & Readonly<{ expiresAtMs: number | null }>;

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
        codeExpiresAtMs: nowMs + CODE_MS,
        grant: { ...key, codeChallenge, expiresAt: key.expiresAtMs === null ? null : new Date(key.expiresAtMs) },
      };
      const isKept = await withRoom(database, key.userId, (transaction) =>
        insertGrant(transaction, row, { nowMs, openMax: OPEN_MAX }),
      );
      return isKept ? code : null;
    },
    async redeem(code, codeVerifier) {
      const row = await takeGrant(database, hashToken(pepper, 'application', code), clock.nowMs());
      if (row === null || row.codeChallenge !== challengeOf(codeVerifier)) return null;
      const { codeChallenge, expiresAt, ...key } = row;
      return { ...key, expiresAtMs: expiresAt?.getTime() ?? null };
    },
  };
}

/** RFC 7636, method S256. */
const challengeOf = (codeVerifier: string): string => createHash('sha256').update(codeVerifier).digest('base64url');
