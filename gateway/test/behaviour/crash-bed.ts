// A gateway that is killed at a chosen moment. The gateway itself has no code for this: the moment comes from an
// upstream that waits at a gate, a trigger of the test that waits for a lock inside the database, and signals.

import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { expect } from 'vitest';
import { embeddedUrl } from '../../src/platform/db/embedded/embedded-url.ts';
import { findPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import type { CrashCall } from './crash-call.ts';
import { modelsLike } from './crash-surfaces.ts';
import { GatewayProcess } from './gateway-process.ts';

/** Inserts for an account wait as long as the test holds the account's lock. */
const HOLDS = `
  create function hold_for_test() returns trigger language plpgsql as $$
  declare
    owner text;
  begin
    foreach owner in array array[to_jsonb(new) ->> 'debit_account_id', to_jsonb(new) ->> 'credit_account_id',
                                 to_jsonb(new) ->> 'account_id'] loop
      perform pg_advisory_xact_lock_shared(hashtextextended('hold ' || owner, 0)) where owner is not null;
    end loop;
    return new;
  end
  $$;
  create trigger hold_for_test before insert on journal_entries for each row execute function hold_for_test();
  create trigger hold_for_test before insert on generations for each row execute function hold_for_test();`;

const WAITING = `select pid from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

export class CrashBed {
  readonly gateway: GatewayProcess;
  readonly #mute: Server;
  readonly #database: FreshDatabase | null;
  #client: Client | null = null;

  private constructor(gateway: GatewayProcess, mute: Server, database: FreshDatabase | null) {
    this.gateway = gateway;
    this.#mute = mute;
    this.#database = database;
  }

  /** On the gateway's own embedded storage, or on the server that the run was given. */
  static async open(environment: Record<string, string> = {}): Promise<CrashBed> {
    const database = process.env.DATABASE_URL === undefined ? null : await freshDatabase();
    // Accepts connections and never answers, so that no connection gets past the greeting.
    const mute = createServer((socket) => socket.on('error', () => {}));
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as { port: number };
    const storage = { DATABASE_URL: database?.url ?? '', TOLLGATE_SECRET: 'test-secret-test-secret-test-secret' };
    const gateway = await GatewayProcess.prepare(
      {
        ...modelsLike('openai/gated', {}),
        ...modelsLike('openai/unreachable', { routes: [{ provider: 'mute', upstream_model: 'any' }] }),
      },
      { ...(database === null ? {} : storage), ...environment },
      { mute: { protocol: 'openai', base_url: `https://127.0.0.1:${port}/v1`, api_key: 'upstream-secret-key' } },
    );
    const bed = new CrashBed(gateway, mute, database);
    await gateway.start();
    await bed.#connect();
    return bed;
  }

  async #connect(): Promise<void> {
    const postmaster = await findPostmaster(join(this.gateway.folder, 'data', 'postgres'));
    const url = this.#database?.url ?? embeddedUrl(postmaster?.socketFolder ?? '', 'tollgate');
    const client = new Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    await client.query(HOLDS);
    this.#client = client;
  }

  async rows<Row extends object = Record<string, string>>(text: string, values: unknown[] = []): Promise<Row[]> {
    if (this.#client === null) throw new Error('the bed is not open');
    return (await this.#client.query<Row>(text, values)).rows;
  }

  /** A user with a dollar and a key. */
  async account(): Promise<{ key: string; accountId: string }> {
    const { gateway } = this;
    const user = await gateway.operate('POST', '/admin/v1/users', {
      email: `${crypto.randomUUID()}@a.test`,
      name: 'A',
    });
    const path = `/admin/v1/users/${user.id}`;
    await gateway.operate('POST', `${path}/credits`, { amountUsd: 1, note: 'test' });
    const key = await gateway.operate('POST', `${path}/keys`, { name: 'k', keyType: 'standard' });
    return { key: String(key.key), accountId: String(user.id) };
  }

  async hold(accountIds: readonly string[]): Promise<void> {
    await this.rows("select pg_advisory_lock(hashtextextended('hold ' || id, 0)) from unnest($1::text[]) as t (id)", [
      accountIds,
    ]);
  }

  async letGo(accountIds: readonly string[]): Promise<void> {
    await this.rows("select pg_advisory_unlock(hashtextextended('hold ' || id, 0)) from unnest($1::text[]) as t (id)", [
      accountIds,
    ]);
  }

  /** Until a statement of the gateway waits for what is held. */
  async untilHeld(): Promise<void> {
    await expect.poll(() => this.rows(WAITING)).not.toEqual([]);
  }

  /** As when a server notices at once that its client is gone. */
  async giveUpHeld(): Promise<void> {
    await this.rows(`select pg_terminate_backend(pid) from (${WAITING}) waiting`);
    await expect.poll(() => this.rows(WAITING)).toEqual([]);
  }

  async untilReserved(count: number): Promise<void> {
    const held = async () => (await this.gateway.operate('GET', '/admin/v1/ledger/check?full=true')).heldReservations;
    await expect.poll(held).toBe(count);
  }

  /** Until the upstream has answered this many calls to the end, and the gateway has had time to read it. */
  async untilAnswered(count: number): Promise<void> {
    const over = () => this.gateway.simulator.requests.filter(({ closedAt }) => closedAt !== undefined).length;
    await expect.poll(over).toBe(count);
    await sleep(100);
  }

  async untilEach(calls: readonly CrashCall[], hasCome: (call: CrashCall) => boolean): Promise<void> {
    await expect.poll(() => calls.filter((call) => !hasCome(call)).map(({ name }) => name)).toEqual([]);
  }

  /** Work of a dead process is taken up when its leases have run out, which they have here. */
  async endLeases(): Promise<void> {
    await this.rows("update batch_lines set due_at = now() where state = 'running'");
    await this.rows("update idempotent_calls set alive_at = now() - interval '1 minute' where runner is not null");
  }

  kill(): Promise<void> {
    return this.gateway.signal('SIGKILL');
  }

  async close(): Promise<void> {
    await this.#client?.end();
    await this.gateway.close();
    await this.#database?.drop();
    this.#mute.close();
  }
}
