// Devices that have signed in with an address before. Their cookie proves only that: it gives no access, it only makes
// a device's attempts count apart from those of strangers. It is not stored, because it can be verified.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { DAY_MS } from '../../canonical/calendar.ts';

export const DEVICE_AGE_MAX_MS = 365 * DAY_MS;
const ID_BYTES = 16;

export type Devices = Readonly<{
  /** The value that the device sends from now on. */
  remember(emailNormalized: string): string;
  /** The device's id; null when it has not signed in with this address. */
  recognize(shown: string | null, emailNormalized: string): string | null;
}>;

export function createDevices(pepper: Buffer): Devices {
  const proofOf = (deviceId: string, emailNormalized: string): Buffer =>
    createHmac('sha256', pepper).update(`${deviceId}:${emailNormalized}`).digest();
  return {
    remember(emailNormalized) {
      const deviceId = randomBytes(ID_BYTES).toString('base64url');
      return `${deviceId}.${proofOf(deviceId, emailNormalized).toString('base64url')}`;
    },
    recognize(shown, emailNormalized) {
      const [deviceId = '', proof = ''] = shown?.split('.') ?? [];
      const given = Buffer.from(proof, 'base64url');
      const expected = proofOf(deviceId, emailNormalized);
      return given.length === expected.length && timingSafeEqual(given, expected) ? deviceId : null;
    },
  };
}
