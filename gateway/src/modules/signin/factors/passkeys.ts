// Passkeys as a second factor. The library verifies what an authenticator signed; this file sees that a challenge is
// used once and within minutes, that it belongs to the person who began, and that a counter that went back is refused.
// The library is loaded when the first passkey is used, because most gateways have none.

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { withRoom } from '../../../platform/db/with-room.ts';
import { newId } from '../../../platform/ids.ts';
import * as store from '../store/second-factors.ts';
import type { Steps } from './steps.ts';

const PASSKEYS_MAX = 20;
const RELYING_PARTY = 'Tollgate';

/** The ways to reach an authenticator that browsers know; any other that an authenticator names is not stored. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** The site's origin as the person's browser sent it, which has been checked before. */
type Origin = string;

export type NewPasskey = Readonly<{
  userId: string;
  token: string;
  origin: Origin;
  name: string;
  response: RegistrationResponseJSON;
}>;
export type Shown = Readonly<{ token: string; origin: Origin; response: AuthenticationResponseJSON }>;

export type Passkeys = Readonly<{
  /** The options for the browser's authenticator, and the token of the step. */
  beginNew(
    person: Readonly<{ userId: string; email: string }>,
    origin: Origin,
  ): Promise<Readonly<{ options: object; token: string }>>;
  /** Its id; null when it was not asked for, is stored already, or there are too many. */
  finishNew(passkey: NewPasskey): Promise<string | null>;
  /** Null where the token is not valid, or the person has no passkey. */
  beginShow(token: string, origin: Origin): Promise<object | null>;
  /** The person it belongs to; null for an answer that does not fit the challenge. */
  finishShow(shown: Shown): Promise<string | null>;
}>;

type PasskeysOptions = Readonly<{ database: Database; clock: Clock; steps: Steps }>;

const library = () => import('@simplewebauthn/server');
const hostOf = (origin: Origin): string => new URL(origin).hostname;

export function createPasskeys({ database, clock, steps }: PasskeysOptions): Passkeys {
  return {
    async beginNew({ userId, email }, origin) {
      const { generateRegistrationOptions } = await library();
      const known = await store.listPasskeys(database, userId);
      const options = await generateRegistrationOptions({
        rpName: RELYING_PARTY,
        rpID: hostOf(origin),
        userName: email,
        userID: new TextEncoder().encode(userId),
        excludeCredentials: known.map(describe),
        authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
      });
      const token = await steps.begin(userId, 'new_passkey', { challenge: options.challenge });
      return { options, token: token ?? '' };
    },
    async finishNew({ userId, token, origin, name, response }) {
      const step = await steps.takeChallenge(token, 'new_passkey');
      if (step === null || step.userId !== userId) return null;
      await steps.end(token);
      const verified = await verifyNew(response, { origin, challenge: step.challenge });
      if (verified === null || !verified.verified) return null;
      const { id: credentialId, publicKey, counter, transports: named = [] } = verified.registrationInfo.credential;
      // The library does not compare them, and only the one outside has a bounded length.
      if (credentialId !== response.id) return null;
      const transports = TRANSPORTS.filter((transport) => named.includes(transport));
      const id = newId('psk');
      const row = { id, credentialId, userId, name, publicKey: Buffer.from(publicKey), transports };
      const created = { ...row, signCount: BigInt(counter), createdAt: new Date(clock.nowMs()) };
      const insert = (transaction: Queryable): Promise<boolean> =>
        store.insertPasskey(transaction, created, PASSKEYS_MAX);
      return (await withRoom(database, userId, insert)) ? id : null;
    },
    async beginShow(token, origin) {
      const userId = await steps.find(token);
      const known = userId === null ? [] : await store.listPasskeys(database, userId);
      if (known.length === 0) return null;
      const { generateAuthenticationOptions } = await library();
      const options = await generateAuthenticationOptions({
        rpID: hostOf(origin),
        allowCredentials: known.map(describe),
        userVerification: 'preferred',
      });
      await steps.challenge(token, options.challenge);
      return options;
    },
    async finishShow({ token, origin, response }) {
      const step = await steps.takeChallenge(token, 'sign_in');
      if (step === null) return null;
      const known = await store.listPasskeys(database, step.userId);
      const passkey = known.find(({ credentialId }) => credentialId === response.id);
      if (passkey === undefined) return null;
      const verified = await verifyShown(response, { origin, challenge: step.challenge }, passkey);
      if (verified === null || !verified.verified) return null;
      const signCount = BigInt(verified.authenticationInfo.newCounter);
      const used = { userId: step.userId, id: passkey.id, signCount, nowMs: clock.nowMs() };
      return (await store.usePasskey(database, used)) ? step.userId : null;
    },
  };
}

type Expected = Readonly<{ origin: Origin; challenge: string }>;

const expectedOf = ({ origin, challenge }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: hostOf(origin),
  // The person has shown the password before.
  requireUserVerification: false,
});

async function verifyNew(response: RegistrationResponseJSON, expected: Expected) {
  const { verifyRegistrationResponse } = await library();
  return orNull(() => verifyRegistrationResponse({ response, ...expectedOf(expected) }));
}

async function verifyShown(
  response: AuthenticationResponseJSON,
  expected: Expected,
  { credentialId: id, publicKey, signCount }: store.PasskeyRow,
) {
  const { verifyAuthenticationResponse } = await library();
  const credential = { id, publicKey: new Uint8Array(publicKey), counter: Number(signCount) };
  return orNull(() => verifyAuthenticationResponse({ response, credential, ...expectedOf(expected) }));
}

const describe = ({ credentialId, transports }: store.PasskeyRow) => ({
  id: credentialId,
  transports: [...transports],
});

/** The library throws for anything wrong that a stranger sends; each of those is a wrong answer. */
async function orNull<Result>(run: () => Promise<Result>): Promise<Result | null> {
  try {
    return await run();
  } catch {
    return null;
  }
}
