// `npm run chaos:batches -- --lines 50000 --kills 20`: runs a batch while the gateway and PostgreSQL are killed
// (SIGKILL) at random moments, with live calls beside it. Prints what the results and the books say, and how long the
// live calls took as a multiple of their time before the batch. Fails when a line is missing, or is in the results or
// the books twice, and when a live call is not served although gateway and database are there. With `--handed` the
// lines go to the provider's own batch interface.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { embeddedUrl } from '../../src/platform/db/embedded/embedded-url.ts';
import { findPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { GatewayProcess } from '../behaviour/gateway-process.ts';
import type { Json } from '../harness.ts';

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '50000' },
    kills: { type: 'string', default: '20' },
    handed: { type: 'boolean', default: false },
  },
});
const lines = Number(values.lines);
const kills = Number(values.kills);
if (!Number.isSafeInteger(lines) || lines < 1 || lines > 50_000) throw new Error('--lines takes 1 to 50000');
if (!Number.isSafeInteger(kills) || kills < 0) throw new Error('--kills takes a whole number');

const LIVE_MODEL = 'openai/counted';
const MODEL = values.handed ? 'openai/handed' : LIVE_MODEL;
const LOOK_MS = 100;
const PATIENCE_MS = 3_600_000;
/** How long live calls are made without a batch. */
const ALONE_MS = 15_000;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const gateway = await GatewayProcess.prepare({
  [LIVE_MODEL]: { commands: 'tokens-100-20' },
  'openai/handed': { commands: 'tokens-100-20', entry: { extras: { batch: '0.5' } } },
});
const postgres = () => findPostmaster(join(gateway.folder, 'data', 'postgres'));

function lineOf(index: number): string {
  const body = { model: MODEL, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] };
  return JSON.stringify({ custom_id: `line ${index}`, method: 'POST', url: '/v1/chat/completions', body });
}

async function upload(key: string): Promise<string> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([Array.from({ length: lines }, (_, index) => lineOf(index)).join('\n')]), 'in.jsonl');
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
  return String(((await answer.json()) as Json).id);
}

/** Null while the gateway or the database is away. */
async function batchOf(id: string, key: string): Promise<Json | null> {
  const found = await gateway.call('GET', `/v1/batches/${id}`, key).catch(() => null);
  return found !== null && typeof found.status === 'string' ? found : null;
}

async function untilDone(id: string, key: string, wantedLines: number): Promise<number> {
  for (;;) {
    const doneLines = ((await batchOf(id, key))?.request_counts as Json | undefined)?.completed;
    if (typeof doneLines === 'number' && doneLines >= wantedLines) return doneLines;
    await sleep(LOOK_MS);
  }
}

type Span = { readonly fromMs: number; toMs: number };

/** From each kill until the gateway says that it serves again. */
const outages: Span[] = [];

async function killSomebody(): Promise<string> {
  const outage: Span = { fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
  outages.push(outage);
  const killed = await killGatewayOrDatabase();
  while (!(await isReady())) await sleep(20);
  outage.toMs = performance.now();
  return `${killed}, for ${((outage.toMs - outage.fromMs) / 1_000).toFixed(1)} s`;
}

async function killGatewayOrDatabase(): Promise<string> {
  if (Math.random() < 0.5) {
    await gateway.signal('SIGKILL');
    await gateway.start();
    return 'gateway';
  }
  const postmaster = await postgres();
  if (postmaster === null) return 'nobody, PostgreSQL is away';
  process.kill(postmaster.pid, 'SIGKILL');
  // The gateway notices by itself that the server is gone, unless it is back before that.
  for (let looks = 0; looks < 200 && (await isReady()); looks += 1) await sleep(5);
  return 'PostgreSQL';
}

const isReady = (): Promise<boolean> =>
  fetch(`${gateway.url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Calls that a client waits for, one after the other; those that fail while gateway and database are there are
 * reported.
 */
async function callAlong(key: string, until: AbortSignal) {
  const took: number[] = [];
  const failed: (Span & { readonly answer: string })[] = [];
  const body = { model: LIVE_MODEL, messages: [{ role: 'user', content: 'live' }] };
  while (!until.aborted) {
    const fromMs = performance.now();
    const answer = await gateway.call('POST', '/v1/chat/completions', key, body).catch((error: Error) => error.message);
    const toMs = performance.now();
    if (typeof answer === 'string' || answer.choices === undefined) {
      failed.push({ fromMs, toMs, answer: JSON.stringify(answer) });
    } else took.push(toMs - fromMs);
    await sleep(100);
  }
  took.sort((one, two) => one - two);
  const unexplained = failed.filter(
    (call) => !outages.some((outage) => call.toMs >= outage.fromMs && call.fromMs <= outage.toMs),
  );
  const at = (share: number): number => took[Math.floor(took.length * share)] ?? 0;
  return { served: took.length, failed: failed.length, unexplained, medianMs: at(0.5), slowMs: at(0.95) };
}

/** The same calls while there is nothing else to do. */
async function callAlone(key: string) {
  const over = new AbortController();
  const calling = callAlong(key, over.signal);
  await sleep(ALONE_MS);
  over.abort();
  return calling;
}

async function count(client: Client, text: string, parameters: unknown[] = []): Promise<number> {
  const { rows } = await client.query<{ count: string }>(text, parameters);
  return Number(rows[0]?.count ?? 0);
}

async function check(id: string, key: string, batch: Json): Promise<readonly string[]> {
  const headers = { Authorization: `Bearer ${key}` };
  const content = await fetch(`${gateway.url}/v1/files/${String(batch.output_file_id)}/content`, { headers });
  const results = (await content.text()).trimEnd().split('\n');
  const names = new Set(results.map((each) => (JSON.parse(each) as Json).custom_id));
  const postmaster = await postgres();
  const client = new Client({ connectionString: embeddedUrl(postmaster?.socketFolder ?? '', 'tollgate') });
  await client.connect();
  const charged = await count(
    client,
    `select count(*) from journal_entries e join batch_lines l on l.generation_id = e.generation_id
     where e.kind = 'charge' and l.batch_id = $1`,
    [id],
  );
  const ofAccount = await count(
    client,
    `select count(*) from journal_entries e join batches b on b.account_id = e.debit_account_id
     where e.kind = 'charge' and b.id = $1`,
    [id],
  );
  await client.end();
  const ledger = await gateway.operate('GET', '/admin/v1/ledger/check?full=true');
  return [
    ...(results.length === lines ? [] : [`${results.length} results of ${lines} lines`]),
    ...(names.size === lines ? [] : [`${names.size} different names of ${lines}`]),
    ...(charged === lines ? [] : [`${charged} charges of ${lines} lines`]),
    ...(ofAccount === lines ? [] : [`${ofAccount} charges of the account`]),
    ...(ledger.heldReservations === 0 ? [] : [`${String(ledger.heldReservations)} holds stay`]),
    ...(ledger.ok === true ? [] : [`the books do not add up: ${JSON.stringify(ledger)}`]),
  ];
}

try {
  await gateway.start();
  // Several times what the lines cost, because more is held for them than they cost.
  const key = await gateway.account(Math.max(1, Math.ceil(lines / 1_000)));
  const liveKey = await gateway.account();
  await callAlone(liveKey);
  const alone = await callAlone(liveKey);
  const { id } = await gateway.call('POST', '/v1/batches', key, {
    ...{ input_file_id: await upload(key), endpoint: '/v1/chat/completions', completion_window: '24h' },
  });
  const startedMs = performance.now();
  const over = new AbortController();
  const live = callAlong(liveKey, over.signal);
  const moments = Array.from({ length: kills }, () => Math.floor(Math.random() * lines)).sort((one, two) => one - two);
  for (const [index, moment] of moments.entries()) {
    const doneLines = await untilDone(String(id), key, moment);
    say(`kill ${index + 1} of ${kills} after ${doneLines} lines: ${await killSomebody()}`);
  }
  let batch: Json | null = null;
  while (batch?.status !== 'completed') {
    if (performance.now() - startedMs > PATIENCE_MS) throw new Error('the batch has not ended within an hour');
    await sleep(1_000);
    batch = await batchOf(String(id), key);
  }
  over.abort();
  const { served, failed, unexplained, medianMs, slowMs } = await live;
  const seconds = (performance.now() - startedMs) / 1_000;
  say(
    `${lines} lines in ${seconds.toFixed(0)} s; live calls: ${served} served, ${failed} not, ` +
      `${failed - unexplained.length} of those during the ${outages.length} outages`,
  );
  say(
    `live calls took ${medianMs.toFixed(0)} ms in the median and ${slowMs.toFixed(0)} ms at the 95th of a hundred, ` +
      `${(medianMs / alone.medianMs).toFixed(2)} and ${(slowMs / alone.slowMs).toFixed(2)} times what they took alone`,
  );
  const told = unexplained.map(({ answer }) => `a live call was not served though everybody was there: ${answer}`);
  const problems = [...(await check(String(id), key, batch)), ...told];
  say(problems.length === 0 ? 'every line once in the results and in the books' : problems.join('\n'));
  if (problems.length > 0) process.exitCode = 1;
} finally {
  await gateway.close();
}
