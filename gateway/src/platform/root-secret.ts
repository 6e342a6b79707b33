// The root secret as parts of the gateway see it. Sealed data can be sealed anew, so it follows the secret in use; a
// hash cannot be made anew without its input, so all hashes are made with the first secret that the installation had.

import { deriveKey, type SealingKey } from './crypto.ts';

export type RootSecret = Readonly<{
  /** The secret from which the keys of hashes are derived: always the first one. */
  hashing: string;
  /** For sealing: a key derived for the first purpose, and from that key for the next. */
  sealingKey(...purposes: readonly string[]): SealingKey;
}>;

export const derivePath = (secret: string, purposes: readonly string[]): Buffer =>
  purposes.reduce<string | Buffer>(deriveKey, secret) as Buffer;

/** `inUse` is read at each sealing, because a process changes from one secret to the next while it runs. */
export function createRootSecret(hashing: string, secrets: readonly string[], inUse: () => number): RootSecret {
  return {
    hashing,
    sealingKey(...purposes) {
      const known = secrets.map((secret) => derivePath(secret, purposes));
      return { known, inUse: () => known[inUse()] as Buffer };
    },
  };
}
