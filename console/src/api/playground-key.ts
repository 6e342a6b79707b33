// The key that the playground calls with. Models are called with keys only, and a key's secret is shown once; so the
// playground makes a short-lived one for itself and keeps it in memory, where a reload or a sign-out forgets it.

import { request } from './request.ts';

type CreatedKey = Readonly<{ id: string; key: string }>;

const LIFETIME_MS = 12 * 3_600_000;
/** A key that is about to expire is not handed out any more. */
const MARGIN_MS = 300_000;

let current: Readonly<{ key: Promise<CreatedKey>; expiresAtMs: number }> | null = null;

export async function playgroundKey(): Promise<string> {
  if (current === null || Date.now() > current.expiresAtMs - MARGIN_MS) {
    const expiresAtMs = Date.now() + LIFETIME_MS;
    const body = { name: 'Playground', expires_at: new Date(expiresAtMs).toISOString() };
    const key = request<CreatedKey>('POST', '/api/account/keys', { body });
    current = { key, expiresAtMs };
    // A failure must not be what every later call gets.
    key.catch(forgetPlaygroundKey);
  }
  return (await current.key).key;
}

export function forgetPlaygroundKey(): void {
  current = null;
}
