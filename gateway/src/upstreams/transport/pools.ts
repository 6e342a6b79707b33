// Where calls go: a pool of connections for each base URL. Customers' own upstreams have pools of their own, so that no
// customer can use up another's connections; those are checked as they are opened, and bounded in number.

import { type buildConnector, Pool } from 'undici';

export type PooledAddress = Readonly<{ pool: Pool; pathPrefix: string }>;

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

  /** `guardedFor` is whose address it is; null for the platform's providers. */
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

  /** What runs over it still ends; whoever calls it again gets a new one. */
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
