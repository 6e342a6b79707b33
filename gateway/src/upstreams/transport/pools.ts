// Pools of connections, one for each base URL. Customers' own upstreams have separate pools, so that no customer can
// use up another's connections; their connections are checked when they are opened, and the number of pools is bounded.

import { type buildConnector, Pool } from 'undici';

type PooledAddress = Readonly<{ pool: Pool; pathPrefix: string }>;

const CONNECT_TIMEOUT_MS = 10_000;
const HEADER_BYTES_MAX = 16_384;
const CONNECTIONS_PER_ORIGIN_MAX = 4_096;
const GUARDED_CONNECTIONS_MAX = 256;
const GUARDED_POOLS_MAX = 2_000;

export class Pools {
  readonly #open = new Map<string, PooledAddress>();
  readonly #guarded = new Map<string, PooledAddress>();
  readonly #guardedConnect: buildConnector.connector;

  constructor(guardedConnect: buildConnector.connector) {
    this.#guardedConnect = guardedConnect;
  }

  /** `guardedFor` is the owner of the address; null for the platform's providers. */
  of(baseUrl: string, guardedFor: string | null): PooledAddress {
    const pools = guardedFor === null ? this.#open : this.#guarded;
    const name = guardedFor === null ? baseUrl : `${guardedFor} ${baseUrl}`;
    const known = pools.get(name);
    if (known !== undefined) return known;
    if (this.#guarded.size >= GUARDED_POOLS_MAX) this.#closeOldest();
    const opened = openPool(baseUrl, guardedFor === null ? null : this.#guardedConnect);
    pools.set(name, opened);
    return opened;
  }

  async destroy(): Promise<void> {
    const pools = [...this.#open.values(), ...this.#guarded.values()];
    await Promise.all(pools.map(({ pool }) => pool.destroy()));
  }

  /** Calls on it still end; the next call to its address gets a new pool. */
  #closeOldest(): void {
    for (const [name, { pool }] of this.#guarded) {
      this.#guarded.delete(name);
      pool.close(() => undefined);
      return;
    }
  }
}

function openPool(baseUrl: string, guardedConnect: buildConnector.connector | null): PooledAddress {
  const url = new URL(baseUrl);
  const pool = new Pool(url.origin, {
    connections: guardedConnect === null ? CONNECTIONS_PER_ORIGIN_MAX : GUARDED_CONNECTIONS_MAX,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: guardedConnect ?? { timeout: CONNECT_TIMEOUT_MS },
    maxHeaderSize: HEADER_BYTES_MAX,
  });
  return { pool, pathPrefix: url.pathname === '/' ? '' : url.pathname.replace(/\/$/, '') };
}
