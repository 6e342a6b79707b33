// Finds the server to use and connects to it: of several hosts the one that takes writes, and of two that both do the
// one on the newer timeline. A connection is returned only after the server has been asked what it is, because a
// fail-over may have turned the primary of a moment ago into a standby.

import { Client, type ClientConfig } from 'pg';
import { connectionConfig, endClient } from './connection.ts';
import { errorCode } from './connection-failure.ts';
import { readServerList, type Server, type ServerList } from './server-list.ts';
import { type Timeline, Timelines } from './timelines.ts';

const CONNECT_TIMEOUT_MS = 2_000;
/** Applies however little time this process gets. */
const FIND_TIMEOUT_MS = 20_000;
/** How long a second server may take to show that it is the newer one. */
const SECOND_OPINION_MS = 200;
/** Errors by which a server says that it does not tell its timeline. */
const NOT_TOLD: ReadonlySet<string> = new Set(['0A000', '42501', '42883']);

/** In milliseconds. They are set after a connection is open, because a pooler refuses them in its greeting. */
export type SessionSettings = Readonly<{
  applicationName?: string;
  statementTimeoutMs?: number;
  lockTimeoutMs?: number;
  idleTransactionTimeoutMs?: number;
  /** How long the driver waits for an answer. */
  queryTimeoutMs?: number;
}>;

/** The pooler between this process and the server. */
export type Pooling = Readonly<{
  /** Statements of one connection may run in different sessions of the server. */
  isShared: boolean;
  /** Prepared statements may be named. */
  keepsStatements: boolean;
}>;

export type FoundServer = Readonly<{ server: Server; config: ClientConfig; timeline: Timeline | null }>;

/** No server could be used. The code says that the database is away, and the message what each server said. */
export class NoServerError extends Error {
  readonly code: string;

  constructor(variable: string, problems: readonly Problem[]) {
    const words = problems.map(({ server, words }) => `  ${server}: ${words}`).join('\n');
    const isStandby = problems.every(({ code }) => code === READ_ONLY);
    const advice = isStandby
      ? 'Name the primary, or all hosts of the cluster separated by commas.'
      : `Check that PostgreSQL runs there, and that ${variable} has its host, database, user and password.`;
    super(`${variable}: no server was found that can be used.\n${words}\n${advice}`);
    this.name = 'NoServerError';
    this.code = isStandby ? READ_ONLY : '08001';
  }
}

const READ_ONLY = '25006';
type Problem = Readonly<{ server: string; code: string | null; words: string }>;
type Asking = Readonly<{ settings: SessionSettings; patienceMs: number; signal: AbortSignal | null }>;
type Answer = FoundServer & Readonly<{ client: Client; isReadOnly: boolean }>;

type State = Readonly<{ processId: number; isReadOnly: boolean; systemId: string | null; walFile: string | null }>;

const STATE = `pg_backend_pid() AS "processId",
  pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;
const TIMELINE = `CASE WHEN NOT pg_is_in_recovery() THEN (SELECT system_identifier::text FROM pg_control_system()) END AS "systemId",
  CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_lsn()) END AS "walFile"`;

type ServersOptions = Readonly<{
  /** The setting that the address comes from, for messages. */
  variable?: string;
  /** What other connections of this process know of the server. */
  timelines?: Timelines;
  /** A server that takes no writes is enough for reports. */
  isReadingEnough?: boolean;
}>;

export class Servers {
  readonly variable: string;
  readonly timelines: Timelines;
  readonly #list: ServerList;
  readonly #isReadingEnough: boolean;
  #isTimelineTold = true;
  pooling: Pooling = { isShared: false, keepsStatements: true };

  constructor(address: string, options: ServersOptions = {}) {
    this.#list = readServerList(address);
    this.variable = options.variable ?? 'DATABASE_URL';
    this.timelines = options.timelines ?? new Timelines();
    this.#isReadingEnough = options.isReadingEnough ?? false;
  }

  get isOnlyOne(): boolean {
    return this.#list.servers.length === 1;
  }

  /** Connected, and asked what it is. The caller must listen for its end; an error event by itself ends nothing. */
  async connect(settings: SessionSettings = {}): Promise<Client> {
    const { client } = await this.#choose({ settings, patienceMs: CONNECT_TIMEOUT_MS, signal: null });
    return client;
  }

  /** The server for new connections. The caller says when it takes too long. */
  async find(signal: AbortSignal): Promise<FoundServer> {
    const answer = await this.#choose({ settings: {}, patienceMs: FIND_TIMEOUT_MS, signal });
    await endClient(answer.client);
    return answer;
  }

  /** For a connection that was made to what `find` answered. Fails when the server is no longer what it was. */
  async check(client: Pick<Client, 'query'>, settings: SessionSettings): Promise<void> {
    const state = await this.#ask(client, settings, CONNECT_TIMEOUT_MS);
    const problem = this.#problemOf(state.isReadOnly, timelineOf(state));
    if (problem !== null) throw Object.assign(new Error(problem), { code: READ_ONLY });
  }

  async #choose(asking: Asking): Promise<Answer> {
    const { answers, problems } = await this.#askAll(asking);
    const [best, ...others] = answers.sort((one, other) => this.#rank(other) - this.#rank(one));
    // The first answer is checked again, because another may have shown a newer timeline since.
    const words = best === undefined ? null : this.#problemOf(best.isReadOnly, best.timeline);
    const refused = best !== undefined && words !== null ? [best, ...others] : others;
    await Promise.all(refused.map(({ client }) => endClient(client)));
    if (best === undefined || words !== null) {
      const told = answers.map((answer) => ({
        server: answer.server.name,
        code: READ_ONLY,
        words: this.#problemOf(answer.isReadOnly, answer.timeline) ?? 'is not needed',
      }));
      throw new NoServerError(this.variable, [...problems, ...told]);
    }
    return best;
  }

  #rank(answer: Answer): number {
    const prefersReadOnly = this.#isReadingEnough && /standby|read-only/.test(this.#list.sessionAttributes);
    if (prefersReadOnly) return answer.isReadOnly ? 1 : 0;
    return answer.isReadOnly ? -1 : (answer.timeline?.number ?? 0);
  }

  /** Null when the server can be used. */
  #problemOf(isReadOnly: boolean, timeline: Timeline | null): string | null {
    if (this.#isReadingEnough) return null;
    if (isReadOnly) return 'takes no writes: it is a standby, or was made read-only';
    return timeline === null ? null : this.timelines.judge(timeline);
  }

  #askAll(asking: Asking): Promise<{ answers: Answer[]; problems: Problem[] }> {
    const answers: Answer[] = [];
    const problems: Problem[] = [];
    return new Promise((resolve) => {
      let pending = this.#list.servers.length;
      let isOver = false;
      let timer: NodeJS.Timeout | undefined;
      const finish = (): void => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        resolve({ answers, problems });
      };
      for (const server of this.#list.servers) {
        this.#open(server, asking)
          .then(
            (answer) => {
              if (isOver) void endClient(answer.client);
              else answers.push(answer);
              // Reported here, because a second server on an older timeline must not be used.
              if (this.#problemOf(answer.isReadOnly, answer.timeline) === null)
                timer ??= setTimeout(finish, SECOND_OPINION_MS);
            },
            (error: unknown) => problems.push(problemOf(server, error)),
          )
          .finally(() => {
            pending -= 1;
            if (pending === 0) finish();
          });
      }
    });
  }

  async #open(server: Server, { settings, patienceMs, signal }: Asking): Promise<Answer> {
    let failure: unknown;
    for (const ssl of server.protections) {
      const config: ClientConfig = {
        ...connectionConfig(server.url),
        connectionTimeoutMillis: patienceMs,
        ssl,
        ...(settings.applicationName === undefined ? {} : { application_name: settings.applicationName }),
        ...(settings.queryTimeoutMs === undefined ? {} : { query_timeout: settings.queryTimeoutMs }),
      };
      const client = new Client(config);
      client.on('error', () => {});
      const abort = (): void => void endClient(client);
      signal?.addEventListener('abort', abort);
      try {
        await client.connect();
        const state = await this.#ask(client, settings, patienceMs);
        return { server, config, client, isReadOnly: state.isReadOnly, timeline: timelineOf(state) };
      } catch (error) {
        failure = error;
        void endClient(client);
        // Another protection does not help where the host cannot be reached.
        if (signal?.aborted || isUnreachable(error)) break;
      } finally {
        signal?.removeEventListener('abort', abort);
      }
    }
    throw failure;
  }

  /** Also applies the session's settings, unless the session is shared with other connections. */
  async #ask(client: Pick<Client, 'query'>, settings: SessionSettings, patienceMs: number): Promise<State> {
    const wanted = Object.entries({
      statement_timeout: settings.statementTimeoutMs,
      lock_timeout: settings.lockTimeoutMs,
      idle_in_transaction_session_timeout: settings.idleTransactionTimeoutMs,
    }).filter(([, value]) => value !== undefined && !this.pooling.isShared);
    const sets = wanted.map(([name], index) => `set_config('${name}', $${index + 1}, false)`);
    const values = wanted.map(([, value]) => String(value));
    const ask = async (columns: readonly string[]): Promise<State> => {
      const query = { text: `SELECT ${columns.join(', ')}`, values, query_timeout: patienceMs };
      const { rows } = await client.query<State>(query);
      const [state] = rows;
      if (state === undefined) throw new Error('Connection terminated');
      return state;
    };
    try {
      if (this.#isTimelineTold) return await ask([STATE, TIMELINE, ...sets]);
    } catch (error) {
      if (!NOT_TOLD.has(errorCode(error) ?? '')) throw error;
      this.#isTimelineTold = false;
    }
    return ask([STATE, ...sets]);
  }
}

export const asServers = (address: string | Servers): Servers =>
  typeof address === 'string' ? new Servers(address) : address;

/** For code that needs a session of its own. */
export function sessionsOf(address: string | Servers): (settings: SessionSettings) => Promise<Client> {
  const servers = asServers(address);
  return (settings) => servers.connect(settings);
}

/** A wrong password counts too, because it is wrong with every protection. */
function isUnreachable(error: unknown): boolean {
  const code = errorCode(error);
  if (code === null) return error instanceof Error && error.message === 'timeout expired';
  return code !== 'EPROTO' && /^(?:E[A-Z]+|57P03|28P01|3D000)$/.test(code);
}

function timelineOf({ systemId, walFile }: State): Timeline | null {
  if (typeof systemId !== 'string' || typeof walFile !== 'string') return null;
  return { systemId, number: Number.parseInt(walFile.slice(0, 8), 16) };
}

function problemOf(server: Server, error: unknown): Problem {
  const words = error instanceof Error ? error.message || (errorCode(error) ?? error.name) : String(error);
  return { server: server.name, code: errorCode(error), words };
}
