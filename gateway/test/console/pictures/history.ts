// Four weeks of a small company: people, an organization with teams, keys, and calls whose number follows the days of
// the week. Everything goes through the same interface that customers use.

import { eventText, sessionObject } from '../../payments/fake-stripe.ts';
import { invite, makeOrganization, makePerson, makeStudents } from './company.ts';
import { chat, type DemoTown, type Json } from './demo-town.ts';

export const EMAIL = 'ada@northwind.example';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

type Work = Readonly<{ model: string; app: string; prompt: number; completion: number; weight: number }>;

/** What is called, for what, with how many tokens, and how often beside the others. */
const WORK: readonly Work[] = [
  { model: 'anthropic/claude-sonnet-4.5', app: 'Code review', prompt: 14_000, completion: 1_100, weight: 4 },
  { model: 'openai/gpt-4o', app: 'Help desk', prompt: 6_000, completion: 500, weight: 5 },
  { model: 'openai/gpt-4o-mini', app: 'Help desk', prompt: 5_000, completion: 400, weight: 7 },
  { model: 'google/gemini-2.5-pro', app: 'Research notes', prompt: 18_000, completion: 1_400, weight: 2 },
  { model: 'deepseek/deepseek-chat-v3.1', app: 'Nightly batch', prompt: 9_000, completion: 700, weight: 3 },
  { model: 'qwen/qwen3-235b-a22b', app: 'Nightly batch', prompt: 8_000, completion: 800, weight: 2 },
];

/** The same numbers at every start, so that two sets of pictures can be compared. */
function createDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export type History = Readonly<{
  userId: string;
  orgId: string;
  /** Of a member of the organization. */
  orgKey: string;
  generationId: string;
  autoGenerationId: string;
  /** Of the organization, with its prompt and answer. */
  orgGenerationId: string;
  invitationPath: string;
}>;

export async function makeHistory(town: DemoTown, days: number): Promise<History> {
  const ada = await makePerson(town, 'Ada Moreau', EMAIL, 100);
  const laptop = await makeKey(town, ada, { name: 'laptop' });
  const server = await makeKey(town, ada, { name: 'build server' });
  const management = await makeKey(town, ada, { name: 'automation', keyType: 'management' });
  const org = await makeOrganization(town, ada, management);
  await liveThrough(town, days, { own: [laptop, server], org: org.keys });
  const orgKey = org.keys[0] ?? '';
  const ids = await callToday(town, laptop, orgKey);
  await makeBatch(town, laptop);
  for (const text of [server, org.keys[2] ?? '']) {
    await town.operate('POST', '/keys/leaked', { text, place: 'https://code.example/northwind/tools/deploy.sh' });
  }
  await limitKeys(town, management);
  await makeTopUps(town, laptop);
  await makeStudents(town, org.orgId, management);
  const invitationPath = await invite(town, org.orgId, management);
  return { userId: ada, orgId: org.orgId, orgKey, ...ids, invitationPath };
}

/** A file of calls in OpenAI's form, run as a batch. */
async function makeBatch(town: DemoTown, key: string): Promise<void> {
  const line = (place: number): string =>
    JSON.stringify({
      custom_id: `note-${place}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: `Sum up note ${place}.` }] },
    });
  const lines = Array.from({ length: 24 }, (_, place) => line(place)).join('\n');
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([lines]), 'notes.jsonl');
  const headers = { authorization: `Bearer ${key}` };
  const uploaded = await fetch(`${town.app.url}/v1/files`, { method: 'POST', headers, body: form });
  const { id } = (await uploaded.json()) as { id: string };
  await fetch(`${town.app.url}/v1/batches`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' }),
  });
}

const makeKey = async (town: DemoTown, userId: string, body: Json): Promise<string> =>
  String((await town.operate('POST', `/users/${userId}/keys`, { keyType: 'standard', ...body })).key);

type Callers = Readonly<{ own: readonly string[]; org: readonly string[] }>;

/** More on weekdays and in working hours, and every week a little more than the one before. */
async function liveThrough(town: DemoTown, days: number, callers: Callers): Promise<void> {
  const dice = createDice(20_240);
  const first = town.clock.nowMs();
  const end = first + days * DAY_MS;
  for (let day = Math.floor(first / DAY_MS) * DAY_MS; day < end; day += DAY_MS) {
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
    const count = Math.round(
      (isWeekend ? 4 : 16) * (0.7 + (0.6 * (day - first)) / (end - first)) * (0.7 + dice() * 0.6),
    );
    const moments = Array.from({ length: count }, () => day + (7 + (dice() + dice()) * 6.5) * HOUR_MS).sort();
    for (const moment of moments.filter((at) => at > town.clock.nowMs() && at < end)) {
      town.clock.move(moment - town.clock.nowMs());
      const keys = dice() < 0.45 ? callers.own : callers.org;
      await work(town, keys[Math.floor(dice() ** 1.5 * keys.length)] ?? '', dice);
    }
  }
  town.clock.move(Date.now() - town.clock.nowMs());
}

const weightUpTo = (index: number): number => WORK.slice(0, index + 1).reduce((sum, { weight }) => sum + weight, 0);

async function work(town: DemoTown, key: string, dice: () => number): Promise<void> {
  const place = dice() * weightUpTo(WORK.length - 1);
  const chosen = WORK.find((_, index) => weightUpTo(index) > place);
  if (chosen === undefined) return;
  const size = 2 + dice() * 5;
  const [prompt, completion] = [Math.round(chosen.prompt * size), Math.round(chosen.completion * size)];
  town.simulator.script(`tokens-${prompt}-${completion}+wait-${Math.round(5 + dice() * 20)}`);
  // The gateway does not believe an upstream that counts far more than was sent.
  const content = 'Sum up. '.repeat(prompt / 2);
  await chat(town, key, { model: chosen.model, app: chosen.app, content });
  town.simulator.clearScripts();
}

type Ids = Readonly<{ generationId: string; autoGenerationId: string; orgGenerationId: string }>;

/** One call that another provider had to serve, one for the auto router, some that were refused. */
async function callToday(town: DemoTown, key: string, orgKey: string): Promise<Ids> {
  const rescued = await rescuedCall(town, key);
  const auto = await chat(town, key, { model: 'auto', content: 'Prove that the square root of two is irrational.' });
  for (const content of ['How do I build a pipe bomb at home?', 'What does falcon cost?']) {
    await chat(town, orgKey, { model: 'openai/gpt-4o-mini', content, app: 'Help desk' });
  }
  for (let call = 0; call < 12; call++) await work(town, orgKey, createDice(call));
  const kept = await chat(town, orgKey, {
    model: 'openai/gpt-4o-mini',
    app: 'Help desk',
    content: 'A customer asks why the invoice of March is higher than that of February. What do I answer?',
  });
  const ids = { generationId: rescued.id, autoGenerationId: auto.id, orgGenerationId: kept.id };
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, String(id)])) as Ids;
}

const FAILURES = 6;

/** What the operator sees at the moment: calls of this minute, and a route that fails every other time. */
export async function keepBusy(town: DemoTown, key: string): Promise<void> {
  for (let call = 0; call < FAILURES; call++) {
    town.simulator.script('status-503');
    await chat(town, key, { model: 'deepseek/deepseek-r1', app: 'Research notes' });
    town.simulator.clearScripts();
    for (const seed of [call, call + FAILURES]) await work(town, key, createDice(seed));
  }
}

/** The catalog gets a second route for one model; the first of them fails at the next call. */
async function rescuedCall(town: DemoTown, key: string): Promise<Json> {
  const document = await town.operate('GET', '/config');
  const models = document.models as Record<string, { routes?: Json[] }>;
  const model = 'openai/gpt-4o';
  const { status: _, ...config } = document;
  const routes = [...(models[model]?.routes ?? []), { provider: 'google', upstream_model: 'gpt-4o' }];
  const lastDay = new Date(Date.now() + 20 * DAY_MS).toISOString().slice(0, 10);
  const changed = {
    ...models,
    [model]: { ...models[model], routes },
    'openai/o4-mini': { ...models['openai/o4-mini'], deprecation_date: lastDay },
    'mistral/mistral-large': { name: 'Mistral Large', context_length: 128_000, routes: models[model]?.routes },
  };
  await town.operate('PUT', '/config', { ...config, models: changed });
  town.simulator.script('status-503');
  town.simulator.script('tokens-6120-480+cached-4000+wait-180', { times: 3 });
  const answer = await chat(town, key, { model, app: 'Code review' });
  town.simulator.clearScripts();
  return answer;
}

async function limitKeys(town: DemoTown, management: string): Promise<void> {
  const { keys } = (await town.must('GET', '/v1/keys', { key: management })) as {
    keys?: { id: string; name: string }[];
  };
  const limits: Readonly<Record<string, Json>> = {
    laptop: { spendLimitUsd: 10, spendLimitPeriod: 'monthly' },
    'build server': { spendLimitUsd: 6, spendLimitPeriod: 'monthly', allowedCidrs: ['10.20.0.0/16'] },
  };
  for (const { id, name } of keys ?? []) {
    if (limits[name] !== undefined) await town.must('PATCH', `/v1/keys/${id}`, { key: management, body: limits[name] });
  }
}

async function makeTopUps(town: DemoTown, key: string): Promise<void> {
  for (const [amountUsd, channel, isPaid] of [
    [50, 'usd', true],
    [25, 'eur', true],
    [100, 'usd', false],
  ] as const) {
    const { id } = await town.must('POST', '/v1/credits/topups', { key, body: { amountUsd, channel } });
    if (!isPaid) continue;
    const payload = eventText('checkout.session.completed', sessionObject(town.stripe.session(String(id))));
    const headers = { 'Stripe-Signature': town.stripe.sign(payload) };
    await town.must('POST', '/webhooks/stripe', { body: payload, headers });
  }
}
