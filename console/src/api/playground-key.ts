// The key that the playground calls models with. Models are called with keys only, and a key's secret is shown once; so
// the playground makes a short-lived key for itself and keeps it in memory. A reload forgets the key and a sign-out
// deletes it; forgotten keys are deleted once they have expired, when the playground makes its next one.

import { createKey, deleteKey, type Key, listKeys, type NewKey, PLAYGROUND_KEY_NAME } from './keys.ts';
import { forgottenWithPerson } from './person-memory.ts';
import { beforeSignOut } from './sign-out.ts';

/** The app's name that the playground's calls are listed under. */
export const PLAYGROUND_APP = 'Playground';

const LIFETIME_MS = 2 * 3_600_000;
/** A key that expires sooner than this is not used any more. */
const MARGIN_MS = 300_000;
const DELETED_MAX = 20;

let current: Readonly<{ key: Promise<NewKey>; expiresAtMs: number }> | null = null;

export async function playgroundKey(): Promise<string> {
  if (current === null || Date.now() > current.expiresAtMs - MARGIN_MS) {
    const expiresAtMs = Date.now() + LIFETIME_MS;
    const key = createKey({ name: PLAYGROUND_KEY_NAME, expires_at: new Date(expiresAtMs).toISOString() });
    current = { key, expiresAtMs };
    key.then(deleteExpired, () => {
      // A failed attempt is forgotten, so that the next call tries again.
      current = null;
    });
  }
  return (await current.key).key;
}

// It would charge the calls of the next person to this one.
forgottenWithPerson(() => {
  current = null;
});

// A key that cannot be deleted expires by itself.
beforeSignOut(async () => {
  const dropped = current;
  current = null;
  await dropped?.key.then(({ id }) => deleteKey(id)).catch(() => {});
});

async function deleteExpired(): Promise<void> {
  const keys = await listKeys();
  await Promise.allSettled(
    keys
      .filter(isLeftOver)
      .slice(0, DELETED_MAX)
      .map(({ id }) => deleteKey(id)),
  );
}

const isLeftOver = ({ name, expiresAt }: Key): boolean =>
  name === PLAYGROUND_KEY_NAME && expiresAt !== null && Date.parse(expiresAt) < Date.now();
