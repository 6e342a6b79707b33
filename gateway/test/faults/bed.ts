// One gateway for many cells at once. Each cell has a model and a route of its own, so that the failures of one cell do
// not put another's provider out of use; one account pays for all, and the records of cells differ in their model.

import { Pool } from 'pg';
import { ADMIN_TOKEN, configDocument, type Harness, type Json, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import type { Fault, Form } from './faults.ts';
import { followBatch, followJob, orderBatch } from './follow.ts';
import { readAnswer, type Seen, type Surface } from './surfaces.ts';
import {
  type Kind,
  type OtherServers,
  providerOf,
  providersOf,
  roleOf,
  startOtherServers,
  upstreamModel,
} from './upstreams.ts';

export const VARIANTS = ['alone', 'rescued', 'gone'] as const;
/** No other provider; a healthy second provider; a client that leaves while it waits. */
type Variant = (typeof VARIANTS)[number];

export type Cell = Readonly<{
  id: string;
  fault: Fault;
  form: Form;
  surface: Surface;
  kind: Kind;
  variant: Variant;
}>;

export type CallRow = Readonly<{
  model_id: string;
  cost_nano_usd: string;
  charged_nano_usd: string | null;
  absorbed_reason: string | null;
  attempts: number;
  attempt_log: readonly { outcome: string }[] | null;
  is_failover: boolean;
}>;

export type Observed = Readonly<{
  cell: Cell;
  seen: Seen;
  text: string;
  row: CallRow | undefined;
  /** The kind of the last failure that counts against the faulty route; null for none. */
  healthError: string | null;
}>;

const COUNTED = 'tokens-100-20';
const CONCURRENCY = 24;
/**
 * The gateway itself was not ready, or this client got no processor time to send its request in time. Neither says
 * anything about the fault, so the request is repeated.
 */
const UNREADY_MAX = 200;
const isUnready = ({ status, code }: Seen): boolean => status === 529 || code === 503 || code === 408;
const HURRY_MS = 200;
const CREDIT_USD = 900_000;

/** A stream that begins is left in the middle, every other answer before its headers. */
const leavesAmid = ({ surface, form: { at, stream } }: Cell): boolean =>
  surface.isStream && at === undefined && (stream.kind === 'served' || stream.kind === 'broken');

function commandsOf(cell: Cell): string {
  const { form, variant, surface } = cell;
  const paces = variant !== 'gone' ? [] : leavesAmid(cell) ? ['delay-40'] : ['wait-400'];
  return [...(form.isUncounted || surface.isUncounted ? [] : [COUNTED]), form.commands, ...paces]
    .filter((text) => text !== '')
    .join('+');
}

function modelOf(cell: Cell): Json {
  const { kind, form, surface, variant } = cell;
  const faulty = {
    provider: providerOf(kind, roleOf(form.at, form.commands)),
    upstream_model: upstreamModel(kind, `${cell.id}.sim-${commandsOf(cell)}`),
  };
  const well = {
    provider: providerOf(kind, 'well'),
    upstream_model: upstreamModel(kind, surface.isUncounted ? 'well' : `well.sim-${COUNTED}`),
  };
  return { entry: surface.entry ?? {}, routes: variant === 'rescued' ? [faulty, well] : [faulty] };
}

const FOLLOWED = { job: followJob, batch: followBatch };

/** No two cells get the same answer. */
function headersOf({ id, surface: { headers = {} } }: Cell): Record<string, string> {
  const once = headers['Idempotency-Key'];
  return once === undefined ? headers : { ...headers, 'Idempotency-Key': `${once} ${id}` };
}

/** A client that leaves before a provider is asked may leave before there is a call. */
export const isRecorded = ({ variant, form }: Cell): boolean => variant !== 'gone' || form.at === undefined;

const nameOf = (cell: Cell): string => `cells/${cell.id}`;

/** It is a large one, and the database may be busy with other tests. */
async function configure(harness: Harness, document: Json): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const answer = await harness.request('PUT', '/admin/v1/config', { key: ADMIN_TOKEN, body: document });
    if (answer.status === 200) return;
    if (answer.status !== 503 || tries === UNREADY_MAX) throw new Error(`configuration: ${answer.text}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

export class FaultBed {
  readonly #harness: Harness;
  readonly #others: OtherServers;
  readonly #database: Pool;
  readonly #key: string;

  private constructor(harness: Harness, others: OtherServers, database: Pool, key: string) {
    this.#harness = harness;
    this.#others = others;
    this.#database = database;
    this.#key = key;
  }

  static async open(cells: readonly Cell[]): Promise<FaultBed> {
    const others = await startOtherServers();
    const harness = await startHarness({
      env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' },
      // At equal prices the draw is a tie, and the order of the file decides: the faulty one comes first.
      start: { random: () => 0 },
    });
    const models = Object.fromEntries(cells.map((cell) => [nameOf(cell), modelOf(cell)]));
    const kinds = [...new Set(cells.map(({ kind }) => kind))];
    const document: Json = {
      ...configDocument(harness.simulator.url, { models }),
      providers: providersOf(kinds, { simulatorUrl: harness.simulator.url, ...others }),
    };
    delete (document.models as Json)['openai/test'];
    await configure(harness, document);
    const { key } = await harness.account(CREDIT_USD);
    const database = new Pool({ connectionString: harness.databaseUrl, max: 2 });
    return new FaultBed(harness, others, database, key);
  }

  async close(): Promise<void> {
    await this.#database.end();
    await this.#harness.close();
    this.#others.close();
  }

  /** All at once, as far as possible; the books are read at the end. */
  async run(cells: readonly Cell[]): Promise<readonly Observed[]> {
    const impatience = setInterval(() => void this.#hurry(), HURRY_MS);
    try {
      return await this.#run(cells);
    } finally {
      clearInterval(impatience);
    }
  }

  /** Failed work is tried again after a while, several times: here at once, and only once. */
  async #hurry(): Promise<void> {
    await this.#database.query(
      "update batch_lines set due_at = now(), attempts = 4 where state = 'waiting' and attempts > 0",
    );
  }

  async #run(cells: readonly Cell[]): Promise<readonly Observed[]> {
    const waiting = [...cells];
    const seen = new Map<Cell, Readonly<{ seen: Seen; text: string }>>();
    const work = async (): Promise<void> => {
      for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift())
        seen.set(cell, await this.#askReady(cell));
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    const rows = await this.#rows(cells);
    const errors = await this.#healthErrors();
    return cells.map((cell) => {
      const answer = seen.get(cell) ?? { seen: { status: 0, code: undefined, ending: 'none' as const }, text: '' };
      return { cell, ...answer, row: rows.get(nameOf(cell)), healthError: errors.get(nameOf(cell)) ?? null };
    });
  }

  ledgerCheck(): Promise<Json> {
    return this.#harness.ledgerCheck();
  }

  async #askReady(cell: Cell): Promise<Readonly<{ seen: Seen; text: string }>> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#ask(cell);
      if (!isUnready(answer.seen) || tries === UNREADY_MAX) return answer;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  async #ask(cell: Cell): Promise<Readonly<{ seen: Seen; text: string }>> {
    const { surface, variant } = cell;
    const body = surface.body(nameOf(cell));
    const headers: Record<string, string> = { authorization: `Bearer ${this.#key}`, ...headersOf(cell) };
    const typed: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const leaving = new AbortController();
    const { signal } = leaving;
    const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(this.#harness.url + path, {
        ...init,
        signal,
        headers: { ...headers, ...(init.headers as typeof headers) },
      });
    const asking =
      surface.later === 'batch'
        ? orderBatch(ask, surface.path, String(body))
        : ask(surface.path, { method: 'POST', body, headers: typed });
    if (variant === 'gone' && !leavesAmid(cell)) void this.#leaveOnceAsked(cell, leaving);
    let text = '';
    try {
      const response = await asking;
      try {
        for await (const chunk of response.body ?? []) {
          text += Buffer.from(chunk).toString('latin1');
          if (variant === 'gone' && leavesAmid(cell)) leaving.abort();
        }
        const isTaken = surface.later !== undefined && response.ok;
        const told = isTaken ? await FOLLOWED[surface.later ?? 'job'](ask, text) : { status: response.status, text };
        return { seen: readAnswer(surface, told.status, told.text, false), text: told.text };
      } catch {
        return { seen: readAnswer(surface, response.status, text, true), text };
      }
    } catch (error) {
      return { seen: { status: 0, code: undefined, ending: 'none' }, text: String((error as Error).cause ?? error) };
    }
  }

  async #leaveOnceAsked(cell: Cell, leaving: AbortController): Promise<void> {
    const isIts = ({ path, body }: { path: string; body: string }) =>
      path.includes(`${cell.id}.`) || body.includes(`${cell.id}.`);
    if (cell.form.at === undefined) await this.#harness.simulator.waitFor(isIts).catch(() => {});
    else await new Promise((resolve) => setTimeout(resolve, 20));
    leaving.abort();
  }

  /**
   * By model; waits for records that are written after the answer. A line of a batch writes one for each of its tries.
   */
  async #rows(cells: readonly Cell[]): Promise<ReadonlyMap<string, CallRow>> {
    const names = cells.map(nameOf);
    const recorded = cells.filter(isRecorded).map(nameOf);
    const untilMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const { rows } = await this.#database.query<CallRow>(
        `select g.model_id, g.cost_nano_usd, g.absorbed_reason, g.attempts, g.attempt_log, g.is_failover,
                (select sum(e.amount_nano_usd) from journal_entries e where e.generation_id = g.id) as charged_nano_usd
         from generations g where g.model_id = any ($1)`,
        [names],
      );
      const byModel = new Map(rows.map((row) => [row.model_id, row]));
      if (recorded.every((name) => byModel.has(name)) || performance.now() > untilMs) return byModel;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #healthErrors(): Promise<ReadonlyMap<string, string | null>> {
    const answer = await this.#harness.request('GET', '/admin/v1/health/routes', { key: ADMIN_TOKEN });
    const routes = answer.body.routes as { provider: string; models: string[]; lastError: { kind: string } | null }[];
    return new Map(
      routes
        .filter(({ provider }) => !provider.endsWith('-well'))
        .flatMap(({ models, lastError }) => models.map((model) => [model, lastError?.kind ?? null] as const)),
    );
  }
}
