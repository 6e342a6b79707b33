// Pools of connections, one for each base URL. Customers' own upstreams have separate pools, so that no customer can
// use up another's connections; their connections are checked when they are opened, and the number of pools is bounded.

import type { ConnectionGuard } from '../../platform/outbound/outbound.ts';
import { Pool } from './pool.ts';

export type PooledAddress = Readonly<{
  pool: Pool;
  /** As the header names it. */
  host: string;
  pathPrefix: string;
}>;

const CONNECT_MS = 10_000;
const GUARDED_CONNECT_MS = 5_000;
const CONNECTIONS_PER_ORIGIN_MAX = 4_096;
const GUARDED_CONNECTIONS_MAX = 256;
const GUARDED_POOLS_MAX = 2_000;
/** As long as most servers keep a quiet connection at least. */
const KEPT_SECONDS = 4;
/** What answers for a vendor usually keeps it for a minute or more, and a new secure one takes two round trips. */
const VENDOR_KEPT_SECONDS = 30;
const SECURE_PORT = 443;
const PLAIN_PORT = 80;

export class Pools {
  readonly #open = new Map<string, PooledAddress>();
  readonly #guarded = new Map<string, PooledAddress>();
  /** No call comes to them any more, but some may be under way. */
  readonly #closing = new Set<Pool>();
  readonly #guard: ConnectionGuard;

  constructor(guard: ConnectionGuard) {
    this.#guard = guard;
  }

  /** `guardedFor` is the owner of the address; null for the platform's providers. */
  of(baseUrl: string, guardedFor: string | null): PooledAddress {
    const pools = guardedFor === null ? this.#open : this.#guarded;
    const name = guardedFor === null ? baseUrl : `${guardedFor} ${baseUrl}`;
    const known = pools.get(name);
    if (known !== undefined) return known;
    if (this.#guarded.size >= GUARDED_POOLS_MAX) this.#closeOldest();
    const opened = openPool(baseUrl, guardedFor === null ? null : this.#guard);
    pools.set(name, opened);
    return opened;
  }

  sweep(passedMs: number): void {
    for (const { pool } of this.#open.values()) pool.sweep(passedMs);
    for (const { pool } of this.#guarded.values()) pool.sweep(passedMs);
    for (const pool of this.#closing) {
      if (pool.isEmpty) this.#closing.delete(pool);
      else pool.sweep(passedMs);
    }
  }

  destroy(): void {
    for (const { pool } of [...this.#open.values(), ...this.#guarded.values()]) pool.destroy();
    for (const pool of this.#closing) pool.destroy();
  }

  /** Calls on it still end; the next call to its address gets a new pool. */
  #closeOldest(): void {
    for (const [name, { pool }] of this.#guarded) {
      this.#guarded.delete(name);
      pool.close();
      this.#closing.add(pool);
      return;
    }
  }
}

const ANYWHERE = (): null => null;

function openPool(baseUrl: string, guard: ConnectionGuard | null): PooledAddress {
  const { protocol, hostname, port, host, pathname } = new URL(baseUrl);
  const isSecure = protocol === 'https:';
  const pool = new Pool({
    address: {
      // An address of IPv6 stands in brackets in a URL and nowhere else.
      host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
      port: port === '' ? (isSecure ? SECURE_PORT : PLAIN_PORT) : Number(port),
      isSecure,
      connectMs: guard === null ? CONNECT_MS : GUARDED_CONNECT_MS,
      keptSeconds: isSecure && guard === null ? VENDOR_KEPT_SECONDS : KEPT_SECONDS,
      lookup: guard?.lookup ?? null,
    },
    connectionsMax: guard === null ? CONNECTIONS_PER_ORIGIN_MAX : GUARDED_CONNECTIONS_MAX,
    refusalOf: guard?.refusalOf ?? ANYWHERE,
  });
  return { pool, host, pathPrefix: pathname === '/' ? '' : pathname.replace(/\/$/, '') };
}
