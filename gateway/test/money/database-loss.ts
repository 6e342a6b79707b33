// A gateway under load whose database goes away for a while and comes back: what every client saw, and what the books
// say afterwards. The test asserts on the report; the command prints it.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { CONVERSATIONS, type Conversation, costSeen } from '../behaviour/crash-surfaces.ts';
import { GatewayProcess } from '../behaviour/gateway-process.ts';
import { openDoor } from '../ledger/database-door.ts';
import { PATIENCE_MS } from '../patience.ts';

export type LossOptions = Readonly<{
  /** Of a database that nobody else uses. */
  databaseUrl: string;
  /** Refused: connections break and none can be made. Hung: connections stay and nothing is answered. */
  mode: 'refused' | 'hung';
  seconds: number;
}>;

/** One request, from the client's side. */
type Seen = Readonly<{
  what: 'call' | 'call with a new key' | 'read' | 'call in flight';
  startedMs: number;
  endedMs: number;
  status: number;
  retryAfter: string | null;
  generationId: string | null;
  /** Null when it was not charged, or did not say. */
  costUsd: number | null;
  text: string;
}>;

export type LossReport = Readonly<{
  /** Of requests that were begun while the database was away: how often each status was answered. */
  statusesWhileAway: Readonly<Record<string, number>>;
  /**
   * Refusals without Retry-After, other statuses, broken answers, calls served long after the loss: all of these are
   * wrong.
   */
  faults: readonly string[];
  refusals: Readonly<{ count: number; medianMs: number; slowestMs: number }>;
  inFlight: Readonly<{ begun: number; finished: number }>;
  /** Calls that were served and charged between the loss and the return, first written to the journal. */
  chargedWhileAway: number;
  backAfterMs: number;
  /** Differences between what clients were told and what the books say. */
  discrepancies: readonly string[];
  calls: number;
}>;

const models = {
  'openai/plain': { commands: 'tokens-100-20+chunks-5+delay-5' },
  'openai/long': { commands: 'tokens-100-20+chunks-20+delay-100' },
};
const PAUSE_MS = 20;
const WARM_MS = 500;
/** After this time the gateway must have noticed the loss, and serves no calls. */
const NOTICED_MS = 4_000;
const RETURN_DEADLINE_MS = PATIENCE_MS;
const NEW_KEYS_A_SECOND = 8;
export const REFUSED = ['call', 'call with a new key', 'read'] as const;
export const REFUSALS_MIN = 6;
const READS = ['/v1/key', '/v1/credits', '/v1/usage', '/v1/insights', '/v1/generation?id=gen-none'];

class Load {
  readonly gateway: GatewayProcess;
  readonly seen: Seen[] = [];
  #isOver = false;

  constructor(gateway: GatewayProcess) {
    this.gateway = gateway;
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Until each kind of request has been refused some times since then. */
  async untilRefused(sinceMs: number): Promise<void> {
    const count = (kind: Seen['what']): number =>
      this.seen.filter(({ what, startedMs, status }) => what === kind && startedMs > sinceMs && isUnavailable(status))
        .length;
    const deadlineMs = performance.now() + PATIENCE_MS;
    while (REFUSED.some((kind) => count(kind) < REFUSALS_MIN) && performance.now() < deadlineMs) await sleep(50);
  }

  async call(what: Seen['what'], key: string, request: CallRequest): Promise<void> {
    const { surface, isStream, model } = request;
    await this.#send(what, surface, () =>
      fetch(this.gateway.url + surface.path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ model, ...surface.body, stream: isStream }),
      }),
    );
  }

  /** A client that makes one call after the other, until the end. */
  async repeatCall(key: string, request: CallRequest): Promise<void> {
    while (!this.#isOver) {
      await this.call('call', key, request);
      await sleep(PAUSE_MS);
    }
  }

  async callWithNewKeys(keys: string[], request: CallRequest): Promise<void> {
    while (!this.#isOver) {
      const key = keys.pop();
      if (key !== undefined) await this.call('call with a new key', key, request);
      await sleep(1_000 / NEW_KEYS_A_SECOND);
    }
  }

  async repeatReads(key: string): Promise<void> {
    for (let index = 0; !this.#isOver; index += 1) {
      const path = READS[index % READS.length] as string;
      const headers = { Authorization: `Bearer ${key}` };
      await this.#send('read', null, () => fetch(this.gateway.url + path, { headers }));
      await sleep(PAUSE_MS);
    }
  }

  async #send(what: Seen['what'], surface: Conversation | null, send: () => Promise<Response>): Promise<void> {
    const startedMs = performance.now();
    const entry = { what, startedMs, retryAfter: null, generationId: null, costUsd: null };
    try {
      const response = await send();
      const text = await response.text();
      const isStream = response.headers.get('content-type')?.includes('event-stream') === true;
      const finish = isStream ? surface?.finish : '{';
      this.seen.push({
        ...entry,
        endedMs: performance.now(),
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        generationId: response.headers.get('x-generation-id'),
        costUsd: surface === null || response.status !== 200 ? null : costSeen(finish ?? '', text),
        text,
      });
    } catch (error) {
      this.seen.push({ ...entry, endedMs: performance.now(), status: 0, text: String(error) });
    }
  }
}

type CallRequest = Readonly<{ surface: Conversation; isStream: boolean; model: string }>;

const callRequests = (model: string): CallRequest[] =>
  CONVERSATIONS.flatMap((surface) => [false, true].map((isStream) => ({ surface, isStream, model })));

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

/** Until so many long calls have reached the upstream: from then on they are in flight. */
async function untilUpstream(gateway: GatewayProcess, count: number): Promise<void> {
  const isLong = ({ body }: { body: string }): boolean => body.includes('chunks-20');
  while (gateway.simulator.requests.filter(isLong).length < count) await sleep(10);
}

/** Until a call is served again; how long that took. */
async function untilServed(gateway: GatewayProcess, key: string): Promise<number> {
  const startedMs = performance.now();
  const request = { model: 'openai/plain', messages: [{ role: 'user', content: 'hi' }] };
  while (performance.now() - startedMs < RETURN_DEADLINE_MS) {
    const answer = await gateway.call('POST', '/v1/chat/completions', key, request);
    if (answer.usage !== undefined) return performance.now() - startedMs;
    await sleep(20);
  }
  return Number.POSITIVE_INFINITY;
}

/** Clients of the Messages dialect know the second. */
const isUnavailable = (status: number): boolean => status === 503 || status === 529;

/** What is wrong with what a client saw, in words; null when nothing is. */
function faultOf(seen: Seen, away: Readonly<{ fromMs: number; untilMs: number }>): string | null {
  const { what, status, startedMs, endedMs, retryAfter, costUsd, text } = seen;
  const atMs = Math.round(startedMs - away.fromMs);
  const words = `${what} begun ${atMs} ms after the loss`;
  if (isUnavailable(status)) return retryAfter === null ? `${words}: ${status} without Retry-After` : null;
  const isMissing = what === 'read' && status === 404;
  if (status !== 200 && !isMissing) return `${words}: ${status} ${text.slice(0, 200)}`;
  if (what !== 'read' && costUsd === null) return `${words}: an answer without an end: ${text.slice(-200)}`;
  const isWithin = atMs > NOTICED_MS && endedMs < away.untilMs;
  return isWithin && what !== 'read' ? `${words}: served long after the loss` : null;
}

async function compareBooks(databaseUrl: string, load: Load, journal: string): Promise<string[]> {
  const told = new Map<string, number>();
  for (const { generationId, costUsd } of load.seen) {
    if (generationId !== null && costUsd !== null) told.set(generationId, costUsd);
  }
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const deadlineMs = performance.now() + RETURN_DEADLINE_MS;
  try {
    for (;;) {
      const differences = await differencesOf(client, told, journal);
      if (differences.length === 0 || performance.now() > deadlineMs) return differences;
      await sleep(50);
    }
  } finally {
    await client.end();
  }
}

async function differencesOf(client: Client, told: ReadonlyMap<string, number>, journal: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string; usd: number }>(
    "select generation_id as id, amount_nano_usd::float8 / 1e9 as usd from journal_entries where kind = 'charge'",
  );
  const charged = new Map(rows.map(({ id, usd }) => [id, usd]));
  const differences = (await readdir(journal)).map((name) => `the journal still has ${name}`);
  for (const [id, usd] of told) {
    if (charged.get(id) !== usd) differences.push(`${id}: told ${usd}, charged ${charged.get(id) ?? 'nothing'}`);
  }
  return differences;
}

type Away = Readonly<{ fromMs: number; untilMs: number }>;

function report(load: Load, away: Away, rest: Pick<LossReport, 'backAfterMs' | 'discrepancies'>): LossReport {
  const begun = load.seen.filter(({ startedMs }) => startedMs > away.fromMs && startedMs < away.untilMs);
  const statuses: Record<string, number> = {};
  for (const { what, status } of begun) {
    const name = `${what}: ${isUnavailable(status) ? 503 : status}`;
    statuses[name] = (statuses[name] ?? 0) + 1;
  }
  const refused = begun.filter(({ status }) => isUnavailable(status)).map((seen) => seen.endedMs - seen.startedMs);
  const inFlight = load.seen.filter(({ what }) => what === 'call in flight');
  return {
    statusesWhileAway: statuses,
    faults: load.seen.flatMap((seen) => faultOf(seen, away) ?? []),
    refusals: { count: refused.length, medianMs: median(refused), slowestMs: Math.max(0, ...refused) },
    inFlight: { begun: inFlight.length, finished: inFlight.filter(({ costUsd }) => costUsd !== null).length },
    chargedWhileAway: begun
      .concat(inFlight)
      .filter(({ costUsd, endedMs }) => costUsd !== null && endedMs < away.untilMs).length,
    calls: load.seen.length,
    ...rest,
  };
}

export async function loseDatabase({ databaseUrl, mode, seconds }: LossOptions): Promise<LossReport> {
  const door = await openDoor(databaseUrl);
  const gateway = await GatewayProcess.prepare(models, {
    DATABASE_URL: door.url,
    TOLLGATE_SECRET: 'test-secret-test-secret-test-secret',
  });
  try {
    await gateway.start();
    const load = new Load(gateway);
    const short = callRequests('openai/plain');
    const long = callRequests('openai/long');
    const keyCount = short.length + long.length + 2;
    const [readKey = '', lastKey = '', ...keys] = await Promise.all(
      Array.from({ length: keyCount }, () => gateway.account()),
    );
    const newKeys: string[] = [];
    while (newKeys.length < NEW_KEYS_A_SECOND * (seconds + 1)) newKeys.push(await gateway.account());

    const [plain] = short;
    const workers = [
      ...short.map((request, index) => load.repeatCall(keys[index] as string, request)),
      load.callWithNewKeys(newKeys, plain as CallRequest),
      load.repeatReads(readKey),
    ];
    await sleep(WARM_MS);
    const inFlight = long.map((request, index) =>
      load.call('call in flight', keys[short.length + index] as string, request),
    );
    await untilUpstream(gateway, inFlight.length);

    const fromMs = performance.now();
    if (mode === 'refused') await door.shut();
    else door.freeze();
    await sleep(seconds * 1_000);
    await load.untilRefused(fromMs);
    const untilMs = performance.now();
    if (mode === 'refused') await door.open();
    else door.thaw();

    const backAfterMs = await untilServed(gateway, lastKey);
    await sleep(WARM_MS);
    load.stop();
    await Promise.all([...workers, ...inFlight]);
    const differences = await compareBooks(databaseUrl, load, join(gateway.folder, 'data', 'journal'));
    const check = await gateway.operate('GET', '/admin/v1/ledger/check?full=true');
    const discrepancies = [...differences, ...(check.discrepancies as string[])];
    if (check.heldReservations !== 0) discrepancies.push(`${check.heldReservations} reservations are still held`);
    return report(load, { fromMs, untilMs }, { backAfterMs, discrepancies });
  } finally {
    await gateway.close();
    await door.close();
  }
}
