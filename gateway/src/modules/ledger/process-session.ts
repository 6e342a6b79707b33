// The claim of this process on its slices: a registered id whose advisory lock is held by a connection of its own. When
// the connection is lost, the id is claimed again unless another process has swept it; then this process goes on under
// a new id. It also takes a new id when another server has taken over, whose rows of the slices may be older than what
// is known here.

import type { Client } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { endClient } from '../../platform/db/connection.ts';
import { errorCode, isConnectionFailure } from '../../platform/db/connection-failure.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { SessionSettings } from '../../platform/db/servers.ts';
import { newId } from '../../platform/ids.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { reattachProcess, registerProcess, renewProcess } from './store/processes.ts';

const RENEW_MS = 5_000;
/** Others may sweep after 30 s by the database's clock; this process stops spending well before that. */
const CLAIM_MS = 20_000;
const QUERY_TIMEOUT_MS = 5_000;
/** The server frees a lock with its connection, unless it has not noticed that the connection is gone. */
const LOCK_TIMEOUT_MS = 1_000;
const LOCK_TIMED_OUT = '55P03';
const REATTACH_FIRST_MS = 20;
const REATTACH_LAST_MS = 200;
/** The pool may connect to the new server a moment earlier or later than this connection. */
const ABANDON_TRIES = 20;
const ABANDON_PAUSE_MS = 25;

/** Opens a session that nobody else's statements run in. */
export type ConnectSession = (settings: SessionSettings) => Promise<Client>;

type ProcessSessionInput = Readonly<{
  connect: ConnectSession;
  clock: Clock;
  logger: Logger;
  /** Returns what is leased under an id that can no longer be claimed. */
  abandon: (processId: string) => Promise<void>;
  /** The id has changed: everything that was leased under the old one is gone. */
  onReplaced: () => void;
  /** Names the server that was connected to last; null where servers do not tell. */
  serverName?: () => string | null;
  /** Whether the server has the newest of what this process was told is committed. */
  hasNewest?: (session: Queryable) => Promise<boolean>;
  /** Called when another server has taken over, before anything is reserved again. */
  onTakenOver?: (session: Queryable) => Promise<void>;
}>;

export class ProcessSession {
  readonly #input: ProcessSessionInput;
  #processId = newId('prc');
  #client: Client | null = null;
  #claimedUntilMs = Number.NEGATIVE_INFINITY;
  #processCount = 1;
  #isClosed = false;
  #failedAttempts = 0;
  #serverName: string | null = null;
  #attempt: Promise<void> = Promise.resolve();
  #stopRenewing: () => void = () => {};

  constructor(input: ProcessSessionInput) {
    this.#input = input;
  }

  get processId(): string {
    return this.#processId;
  }

  /** The number of processes that share the database, as of the last renewal. */
  get processCount(): number {
    return this.#processCount;
  }

  /** False from the moment the claim may be lost: then nothing may be reserved from the slices. */
  isClaimed(): boolean {
    return this.#client !== null && this.#input.clock.monotonicMs() < this.#claimedUntilMs;
  }

  /** Resolves when the first try to claim again has ended, so that a short interruption is waited out. */
  async settled(): Promise<void> {
    if (this.#failedAttempts === 0) await this.#attempt;
  }

  async open(): Promise<void> {
    await this.#attach(async (session) => {
      await registerProcess(session, this.#processId);
      return this.#processId;
    });
    this.#stopRenewing = this.#input.clock.every(RENEW_MS, () => void this.#renew());
  }

  /** Ends the connection; the lock goes with it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopRenewing();
    const client = this.#client;
    this.#client = null;
    if (client !== null) await endClient(client);
  }

  /** The database does not know this id any more. */
  disown(): void {
    this.doubt();
  }

  /** The connection may be dead, so the id is claimed on a new one. */
  doubt(): void {
    const client = this.#client;
    if (client !== null) this.#lose(client, null);
  }

  async #renew(): Promise<void> {
    const client = this.#client;
    if (client === null) return;
    const askedMs = this.#input.clock.monotonicMs();
    try {
      const processCount = await renewProcess(asQueryable(client), this.#processId);
      if (processCount === 0) this.#lose(client, null);
      else if (this.#client === client) {
        this.#claimedUntilMs = askedMs + CLAIM_MS;
        this.#processCount = processCount;
      }
    } catch (error) {
      this.#lose(client, error);
    }
  }

  #lose(client: Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = null;
    void endClient(client);
    if (this.#isClosed) return;
    this.#input.logger.warn(
      { processId: this.#processId, error: asError(error) },
      'the claim on slices is interrupted',
    );
    this.#failedAttempts = 0;
    void this.#reattach();
  }

  async #reattach(): Promise<void> {
    for (let delayMs = REATTACH_FIRST_MS; !this.#isClosed; delayMs = Math.min(2 * delayMs, REATTACH_LAST_MS)) {
      const attempt = this.#attach((session) => this.#claimAgain(session));
      this.#attempt = attempt.catch(() => {});
      try {
        await attempt;
        return;
      } catch (error) {
        this.#failedAttempts += 1;
        this.#input.logger.debug({ error: asError(error) }, 'the claim on slices could not be renewed yet');
      }
      await this.#input.clock.sleep(delayMs);
    }
  }

  async #isTakenOver(session: Queryable): Promise<boolean> {
    const { serverName, hasNewest } = this.#input;
    if ((serverName?.() ?? null) !== this.#serverName) return true;
    return hasNewest !== undefined && !(await hasNewest(session));
  }

  async #abandon(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#input.abandon(this.#processId);
        return;
      } catch (error) {
        if (!isConnectionFailure(error) || tries >= ABANDON_TRIES) throw error;
      }
      await this.#input.clock.sleep(ABANDON_PAUSE_MS);
    }
  }

  async #claimAgain(session: Queryable): Promise<string> {
    if (await this.#isTakenOver(session)) {
      // The old id is given up first: the slices under it belong to the state of the other server.
      await this.#abandon();
      const processId = newId('prc');
      await registerProcess(session, processId);
      await this.#input.onTakenOver?.(session);
      return processId;
    }
    try {
      if (await reattachProcess(session, this.#processId)) return this.#processId;
    } catch (error) {
      if (errorCode(error) !== LOCK_TIMED_OUT) throw error;
      await this.#input.abandon(this.#processId);
    }
    const processId = newId('prc');
    await registerProcess(session, processId);
    return processId;
  }

  async #attach(claim: (session: Queryable) => Promise<string>): Promise<void> {
    const askedMs = this.#input.clock.monotonicMs();
    const client = await this.#input.connect({ queryTimeoutMs: QUERY_TIMEOUT_MS, lockTimeoutMs: LOCK_TIMEOUT_MS });
    client.on('error', (error) => this.#lose(client, error));
    client.on('end', () => this.#lose(client, null));
    let processId: string;
    try {
      processId = await claim(asQueryable(client));
    } catch (error) {
      await endClient(client);
      throw error;
    }
    if (this.#isClosed) return endClient(client);
    const isReplaced = processId !== this.#processId;
    this.#processId = processId;
    this.#serverName = this.#input.serverName?.() ?? null;
    if (isReplaced) {
      this.#input.logger.warn({ processId }, 'this process goes on under a new id');
      this.#input.onReplaced();
    }
    this.#claimedUntilMs = askedMs + CLAIM_MS;
    this.#client = client;
  }
}

/** One connection as a store sees it. */
export function asQueryable(client: Client): Queryable {
  return {
    query: async <Row extends object>(statement: { text: string }, values: readonly unknown[] = []) => {
      const result = await client.query<Row>(statement.text, values as unknown[]);
      return result.rows;
    },
  };
}
