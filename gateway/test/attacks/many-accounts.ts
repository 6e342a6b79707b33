// `npm run abuse -- --seconds 10 --accounts 20`: how long an honest account's calls take while other accounts send what
// costs a gateway most before any money is asked for: long texts that make every template try again and again, objects
// with as many members as are allowed, and endless nesting. The attackers are a process of their own on the same
// machine, but behind all others in the queue for its processors, because real ones have machines of their own. The
// output also has the time that the gateway's one thread computed during a call, for any call; other programs on the
// machine do not change it.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createDataTemplates } from '../../src/modules/guardrails/templates/all.ts';
import { GatewayProcess } from '../behaviour/gateway-process.ts';
import type { Json } from '../harness.ts';
import { MODEL, post } from './attack.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, accounts: { type: 'string', default: '20' } },
});
const durationMs = Number(values.seconds) * 1_000;
const accounts = Number(values.accounts);
const ATTACK = fileURLToPath(new URL('attack.ts', import.meta.url));

const gateway = await GatewayProcess.prepare({
  [MODEL]: { commands: 'tokens-10-10', entry: { context_length: 8_000_000 } },
});

/** For an organization whose rules apply every template to its prompts. */
async function attacker(): Promise<string> {
  const email = `${crypto.randomUUID()}@example.test`;
  const user = await gateway.operate('POST', '/admin/v1/users', { email, name: 'A' });
  const org = await gateway.operate('POST', '/admin/v1/orgs', { name: 'A', ownerUserId: user.id });
  const path = `/admin/v1/orgs/${org.id}`;
  await gateway.operate('POST', `${path}/credits`, { amountUsd: 1_000, note: '' });
  const make = (keyType: string): Promise<Json> =>
    gateway.operate('POST', `${path}/keys`, { name: keyType, keyType, userId: user.id });
  const [admin, standard] = [await make('management'), await make('standard')];
  for (const pattern of createDataTemplates().keys()) {
    const rule = { name: pattern, type: 'template', pattern, action: 'redact' };
    const made = await gateway.call('POST', `/api/orgs/${org.id}/content-filters`, String(admin.key), rule);
    if (made.id === undefined) throw new Error(JSON.stringify(made));
  }
  return String(standard.key);
}

type Spread = Readonly<{ p50: number; p99: number }>;
type Figures = Readonly<{ calls: number; refused: number; tookMs: Spread; computedMs: Spread }>;

/** Where the system tells it, which is on Linux. */
function computedMs(): number {
  try {
    return Number(readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

/** One call after the other, as an honest client makes them. */
async function honestly(key: string): Promise<Figures> {
  const body = Buffer.from(JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Say hello.' }] }));
  const took: number[] = [];
  const computed: number[] = [];
  let refused = 0;
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    const [beganMs, computedBeforeMs] = [performance.now(), computedMs()];
    if ((await post(gateway.url, key, body)) !== 200) refused += 1;
    took.push(performance.now() - beganMs);
    computed.push(computedMs() - computedBeforeMs);
  }
  return { calls: took.length, refused, tookMs: spreadOf(took), computedMs: spreadOf(computed) };
}

const words = ({ p50, p99 }: Spread): string => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
const tell = ({ calls, refused, tookMs, computedMs: computed }: Figures): string =>
  `${calls} calls, ${refused} refused, ${words(tookMs)}; the gateway computed ${words(computed)}`;
const times = (one: number, other: number): string => (one / other).toFixed(1);

try {
  await gateway.start();
  const honest = await gateway.account();
  const keys: string[] = [];
  while (keys.length < accounts) keys.push(await attacker());
  await honestly(honest);
  const alone = await honestly(honest);
  console.log(`alone: ${tell(alone)}`);
  const attackers = fork(ATTACK, [gateway.url, ...keys]);
  setPriority(Number(attackers.pid), constants.priority.PRIORITY_LOW);
  await once(attackers, 'message');
  const beside = await honestly(honest);
  attackers.send('stop');
  const [statuses] = await once(attackers, 'message');
  console.log(`beside ${accounts} attackers: ${tell(beside)}`);
  for (const what of ['tookMs', 'computedMs'] as const) {
    const [one, other] = [beside[what], alone[what]];
    console.log(`${what}: p50 ${times(one.p50, other.p50)} times as much, p99 ${times(one.p99, other.p99)} times`);
  }
  console.log(`the attackers were answered, by status: ${JSON.stringify(statuses)}`);
  console.log(`books: ${JSON.stringify(await gateway.operate('GET', '/admin/v1/ledger/check?full=true'))}`);
} finally {
  await gateway.close();
}
