// Identity on a database of its own, and an edge whose rows ask for every kind of access. Balances are plain figures
// here: only whether they are above or below the line matters.

import { inject } from 'vitest';
import { createOperatorGate } from '../../src/endpoints/operator-gate.ts';
import { createProtect } from '../../src/endpoints/protect.ts';
import type { Exchange, RouteRow } from '../../src/http/exchange.ts';
import { sendJson } from '../../src/http/respond.ts';
import { createClientAddress } from '../../src/modules/identity/client-address.ts';
import { createIdentity, type Identity } from '../../src/modules/identity/identity.ts';
import type { NewKey } from '../../src/modules/identity/key.ts';
import { createRateLimiter } from '../../src/modules/limits/rate-limit.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openNotices } from '../../src/platform/db/notices.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import type { NanoUsd } from '../../src/platform/money.ts';
import { freshDatabase, onServer } from '../database.ts';
import { type Edge, route, startEdge } from '../edge/edge.ts';
import { MovableClock } from './movable-clock.ts';

export const OPERATOR_TOKEN = 'operator-token-for-tests';
const PEPPER = Buffer.alloc(32, 7);

export type Callers = Readonly<{
  database: Database;
  databaseUrl: string;
  identity: Identity;
  clock: MovableClock;
  balances: Map<string, NanoUsd>;
  edge: Edge;
  newUser(): Promise<string>;
  newKey(userId: string, more?: Partial<NewKey>): Promise<{ id: string; secret: string }>;
  get(path: string, secret?: string, headers?: Record<string, string>): Promise<Response>;
  /** Makes the database unreachable, as if its server had gone. */
  cutDatabase(): Promise<void>;
  restoreDatabase(): Promise<void>;
  close(): Promise<void>;
}>;

export async function openIdentity(databaseUrl: string, clock: MovableClock) {
  const database = openDatabase(databaseUrl, silentLogger);
  const notices = await openNotices(databaseUrl, silentLogger);
  const identity = createIdentity({ database, notices, pepper: PEPPER, clock, logger: silentLogger });
  const close = async (): Promise<void> => {
    await notices.close();
    await database.close();
  };
  return { database, identity, close };
}

export async function startCallers(proxy: Parameters<typeof createClientAddress>[0] | null = null): Promise<Callers> {
  const fresh = await freshDatabase();
  const server = inject('databaseServer');
  const databaseName = /\/(test_[^?]+)/.exec(fresh.url)?.[1] ?? '';
  const clock = new MovableClock('2026-03-10T12:00:00Z');
  const { database, identity, close } = await openIdentity(fresh.url, clock);
  const balances = new Map<string, NanoUsd>();
  const clientAddress = createClientAddress(proxy ?? { header: null, trustedProxies: [] });
  const operatorGate = createOperatorGate({
    operatorToken: OPERATOR_TOKEN,
    operatorLog: { record: async () => {} },
    operators: { find: async () => null },
    sessions: { find: async () => null },
    needsSecondFactor: () => false,
    clientAddress,
    clock,
    logger: silentLogger,
  });
  const protect = createProtect({
    identity,
    clientAddress,
    rateLimiter: createRateLimiter({ clock, hasPenalty: true }),
    listingLimiter: createRateLimiter({ clock, hasPenalty: false }),
    requestRates: () => ({ freeRequestsPerMinute: 20, paidRequestsPerMinute: 200 }),
    ledger: { means: (accountId) => ({ kind: 'prepaid', spendableNanoUsd: balances.get(accountId) ?? 0n }) },
    sessions: { find: () => Promise.resolve(null) },
    provisioning: { tokens: { find: () => Promise.resolve(null) } },
    members: { memberOf: () => Promise.resolve(null) },
    operatorGate,
  });
  const edge = await startEdge([...accessRoutes(protect), readingRoute(database)]);
  return {
    database,
    databaseUrl: fresh.url,
    identity,
    clock,
    balances,
    edge,
    async newUser() {
      const user = await identity.createUser(database, { email: `${crypto.randomUUID()}@example.test`, name: 'Test' });
      return user.id;
    },
    async newKey(userId, more = {}) {
      const key: NewKey = { name: 'test', keyType: 'standard', userId, accountId: userId, ...more };
      const created = await identity.createKey(database, key);
      return { id: created.key.id, secret: created.secret };
    },
    get: (path, secret, headers = {}) =>
      fetch(edge.url + path, {
        headers: { ...headers, ...(secret === undefined ? {} : { Authorization: `Bearer ${secret}` }) },
      }),
    async cutDatabase() {
      await onServer(server, `alter database ${databaseName} allow_connections false`);
      await onServer(
        server,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${databaseName}'`,
      );
      await onServer(server, `alter database ${databaseName} rename to ${databaseName}_away`);
    },
    async restoreDatabase() {
      await onServer(server, `alter database ${databaseName}_away rename to ${databaseName}`);
      await onServer(server, `alter database ${databaseName} allow_connections true`);
    },
    async close() {
      await edge.close();
      await close();
      await fresh.drop();
    },
  };
}

const readingRoute = (database: Database): RouteRow =>
  route('GET', '/v1/reading', async (exchange) => {
    sendJson(exchange, 200, await database.query({ name: 'test_reading', text: 'SELECT 1 AS one' }));
  });

function accessRoutes(protect: ReturnType<typeof createProtect>): RouteRow[] {
  const whoAmI = (exchange: Exchange, caller: { userId: string }) => sendJson(exchange, 200, { userId: caller.userId });
  const plain = (exchange: Exchange) => sendJson(exchange, 200, {});
  return [
    route('GET', '/v1/model', protect.caller(whoAmI), { access: 'model' }),
    route('GET', '/v1/messages', protect.caller(whoAmI), { access: 'model', errors: 'messages' }),
    route('GET', '/v1/account', protect.caller(whoAmI), { access: 'account' }),
    route('GET', '/v1/uncounted', protect.uncountedCaller(whoAmI), { access: 'account' }),
    route('GET', '/v1/management', protect.caller(whoAmI), { access: 'management' }),
    route('GET', '/admin/v1/thing', protect.operator(plain), { access: 'operator' }),
    route('GET', '/v1/listing', protect.listing(plain)),
    route('GET', '/v1/mistaken', protect.operator(plain), { access: 'public' }),
  ];
}
