// What a person signs in with besides the password: codes of an authenticator app, passkeys, and ten recovery codes
// that are made with the first of these and removed with the last. The callers limit guesses.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { open, type SealingKey, seal } from '../../../platform/crypto.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import type { SealedColumn } from '../../../platform/sealed-column.ts';
import * as store from '../store/second-factors.ts';
import { hashToken } from '../token.ts';
import { createPasskeys, type Passkeys } from './passkeys.ts';
import { createSteps, type Steps } from './steps.ts';
import { base32, matchingStep, newTotpSecret, totpUri } from './totp.ts';

const CODES = 10;
/** Ten characters of base32, fifty bits. */
const CODE_BYTES = 7;
const CODE_LENGTH = 10;
const ISSUER = 'Tollgate';

type Factors = Readonly<{
  hasTotp: boolean;
  passkeys: readonly Pick<store.PasskeyRow, 'id' | 'name' | 'createdAt' | 'lastUsedAt'>[];
  recoveryCodes: number;
}>;

export type SecondFactors = Readonly<{
  of(userId: string): Promise<Factors>;
  hasAny(userId: string): Promise<boolean>;
  /** A secret that becomes valid when a code of it was shown; null when there is a valid one already. */
  beginTotp(person: Readonly<{ userId: string; email: string }>): Promise<Readonly<{
    secret: string;
    uri: string;
  }> | null>;
  /** False for a wrong code. */
  confirmTotp(userId: string, code: string): Promise<boolean>;
  /** A code of the app, or a recovery code. Each works once. */
  checkCode(userId: string, code: string): Promise<boolean>;
  removeTotp(userId: string): Promise<void>;
  /** False when there is no such passkey. */
  removePasskey(userId: string, id: string): Promise<boolean>;
  /** Replaces the existing ones. Only this answer contains them. */
  renewCodes(userId: string): Promise<readonly string[]>;
  /** Removes all of them. */
  reset(queryable: Queryable, userId: string): Promise<void>;
  passkeys: Passkeys;
  steps: Steps;
}>;

type SecondFactorsOptions = Readonly<{
  database: Database;
  clock: Clock;
  /** The key that seals the apps' secrets. */
  sealKey: SealingKey;
  /** The key of the hashes. */
  pepper: Buffer;
}>;

export function createSecondFactors(options: SecondFactorsOptions): SecondFactors {
  const { database, clock, sealKey, pepper } = options;
  const steps = createSteps(options);
  const useTotp = createTotpUse(options);
  const of = async (userId: string): Promise<Factors> => {
    const [totp, passkeys, recoveryCodes] = await Promise.all([
      store.findTotp(database, userId),
      store.listPasskeys(database, userId),
      store.countCodes(database, userId),
    ]);
    return { hasTotp: totp?.isConfirmed ?? false, passkeys, recoveryCodes };
  };
  const hasAny = async (userId: string): Promise<boolean> => {
    const { hasTotp, passkeys } = await of(userId);
    return hasTotp || passkeys.length > 0;
  };
  const dropCodesWithLast = async (userId: string): Promise<void> => {
    if (!(await hasAny(userId))) await store.dropCodes(database, userId);
  };
  return {
    of,
    hasAny,
    async beginTotp({ userId, email }) {
      const secret = newTotpSecret();
      const row = { userId, secret: seal(sealKey, secret.toString('base64'), userId), createdAtMs: clock.nowMs() };
      if (!(await store.putTotp(database, row))) return null;
      return { secret: base32(secret), uri: totpUri(secret, email, ISSUER) };
    },
    confirmTotp: (userId, code) => useTotp(userId, code, false),
    checkCode: (userId, code) =>
      /^\d{6}$/.test(code)
        ? useTotp(userId, code, true)
        : store.takeCode(database, userId, hashToken(pepper, 'recovery', plainCode(code))),
    async removeTotp(userId) {
      await store.dropTotp(database, userId);
      await dropCodesWithLast(userId);
    },
    async removePasskey(userId, id) {
      const isFound = await store.dropPasskey(database, userId, id);
      await dropCodesWithLast(userId);
      return isFound;
    },
    async renewCodes(userId) {
      const codes = Array.from({ length: CODES }, () => base32(randomBytes(CODE_BYTES)).slice(0, CODE_LENGTH));
      const hashes = codes.map((code) => hashToken(pepper, 'recovery', code));
      await database.transaction((transaction) => store.putCodes(transaction, userId, hashes));
      return codes.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`.toLowerCase());
    },
    async reset(queryable, userId) {
      await store.dropTotp(queryable, userId);
      await store.dropPasskeys(queryable, userId);
      await store.dropCodes(queryable, userId);
    },
    passkeys: createPasskeys({ database, clock, steps }),
    steps,
  };
}

type UseTotp = (userId: string, code: string, isConfirmed: boolean) => Promise<boolean>;

/** Whether a code is right and new, for a valid secret or one that is being confirmed. */
const createTotpUse =
  ({ database, clock, sealKey }: SecondFactorsOptions): UseTotp =>
  async (userId, code, isConfirmed) => {
    const row = await store.findTotp(database, userId);
    const sealed = row === null || row.isConfirmed !== isConfirmed ? null : row.secret;
    const secret = sealed === null ? null : open(sealKey, sealed, userId);
    const step = secret === null ? null : matchingStep(Buffer.from(secret, 'base64'), code, clock.nowMs());
    return step !== null && store.useTotp(database, { userId, step, nowMs: clock.nowMs(), isConfirmed });
  };

/** Ignores how the code was typed or copied. */
const plainCode = (code: string): string => code.replace(/[^A-Za-z2-7]/g, '').toUpperCase();

export const sealedColumns: readonly SealedColumn[] = [
  {
    ...{ table: 'totp_secrets', key: { user_id: 'text' }, column: 'secret', type: 'text' },
    purposes: ['second-factors'],
    boundTo: ({ user_id: userId = '' }) => userId,
  },
];
