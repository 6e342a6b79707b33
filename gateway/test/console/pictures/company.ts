// The company in the pictures: its people, its teams with their budgets, its rules, its students and the people it
// invites.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chat, type DemoTown, type Json } from './demo-town.ts';

export const PASSWORD = 'a long enough password';

export async function makePerson(town: DemoTown, name: string, email: string, creditUsd: number): Promise<string> {
  const { id } = await town.operate('POST', '/users', { email, name, password: PASSWORD });
  if (creditUsd > 0) await town.operate('POST', `/users/${id}/credits`, { amountUsd: creditUsd, note: 'Welcome' });
  return String(id);
}

const PEOPLE = [
  ['Ben Okafor', 'ben@northwind.example', 'Research', 'team_admin', 60],
  ['Chiara Russo', 'chiara@northwind.example', 'Research', 'member', 40],
  ['Dmitri Volkov', 'dmitri@northwind.example', 'Product', 'member', 40],
  ['Elif Kaya', 'elif@northwind.example', 'Product', 'member', null],
  ['Femi Adeyemi', 'femi@northwind.example', null, 'billing_viewer', null],
] as const;

type Organization = Readonly<{ orgId: string; keys: readonly string[] }>;

export async function makeOrganization(town: DemoTown, owner: string, management: string): Promise<Organization> {
  const { id } = await town.operate('POST', '/orgs', { name: 'Northwind Labs', ownerUserId: owner });
  const orgId = String(id);
  await town.operate('POST', `/orgs/${orgId}/credits`, { amountUsd: 400, note: 'Invoice 2041' });
  const as = (body: unknown) => ({ key: management, body });
  const teams = new Map<string, string>();
  for (const [name, monthlyBudget, costCenterCode] of [
    ['Research', 60, 'R-100'],
    ['Product', 40, 'P-210'],
    ['Support', 15, null],
  ] as const) {
    const made = await town.must('POST', `/v1/orgs/${orgId}/teams`, as({ name, monthlyBudget, costCenterCode }));
    teams.set(name, String((made.team as Json | undefined)?.id ?? made.id));
  }
  const keys: string[] = [];
  for (const [name, email, team, role, monthlyBudget] of PEOPLE) {
    const userId = await makePerson(town, name, email, 0);
    const teamId = team === null ? null : (teams.get(team) ?? null);
    await town.must('POST', `/v1/orgs/${orgId}/members`, as({ email, role, teamId, monthlyBudget }));
    if (team === null) continue;
    const body = { name: `${name.split(' ')[0]?.toLowerCase()}’s key`, userId, teamId, limit: monthlyBudget };
    const made = await town.must('POST', `/api/orgs/${orgId}/keys`, as({ ...body, limit_reset: 'monthly' }));
    keys.push(String(made.key));
  }
  await setUp(town, orgId, { key: management });
  return { orgId, keys };
}

async function setUp(town: DemoTown, orgId: string, as: Readonly<{ key: string }>): Promise<void> {
  const at = (path: string): string => `/api/orgs/${orgId}${path}`;
  for (const body of [
    { name: 'Project name', type: 'keyword', pattern: 'falcon', action: 'block' },
    { name: 'Customer numbers', type: 'regex', pattern: 'NW-\\d{6}', action: 'redact', enabled: false },
    { name: 'Payment cards', type: 'template', pattern: 'credit_card', action: 'block' },
  ]) {
    await town.must('POST', at('/content-filters'), { ...as, body });
  }
  await town.must('PATCH', at('/circuit-breaker'), {
    ...as,
    body: { cbEnabled: true, cbMinuteUsd: 5, cbHourlyUsd: 20 },
  });
  await town.must('PATCH', at('/allowed-models'), {
    ...as,
    body: { allowedModels: ['openai/*', 'anthropic/*', 'google/*', 'deepseek/*', 'qwen/*', 'auto/*'] },
  });
  const transcripts = { days: 30, samplePercent: 100, readers: ['org_admin', 'member'] };
  await town.must('PATCH', `/v1/orgs/${orgId}`, { ...as, body: { settings: { transcripts } } });
  for (const [path, body] of [
    [
      '/notices/addresses',
      { channel: 'mail', target: PEOPLE[0][1], kinds: ['balance.low', 'key.leaked'], lowBalanceUsd: 50 },
    ],
    [
      '/notices/addresses',
      { channel: 'slack', target: 'https://chat.northwind.example/hook', kinds: ['budget.reached'] },
    ],
    [
      '/feeds',
      { name: 'Our collector', form: 'otlp', url: 'https://otel.northwind.example', signals: ['traces', 'metrics'] },
    ],
    ['/domains', { domain: 'northwind.example' }],
    [
      '/guards',
      {
        name: 'Names and numbers',
        form: 'presidio',
        url: 'https://presidio.northwind.example',
        stages: ['before'],
        action: 'redact',
        enabled: false,
      },
    ],
  ] as const)
    await town.must('POST', at(path), { ...as, body });
  await town.must('POST', at('/byok-keys'), {
    ...as,
    body: {
      name: 'Azure, West Europe',
      baseUrl: `${town.simulator.url}/v1`,
      apiKey: 'own-upstream-key-4821',
      protocol: 'openai',
      modelMappings: [{ model: 'openai/gpt-4o', upstreamModel: 'gpt-4o-eu', enabled: false }],
    },
  });
}

export async function makeStudents(town: DemoTown, orgId: string, management: string): Promise<void> {
  const as = { key: management };
  await town.must('PATCH', `/api/orgs/${orgId}/edu/config`, {
    ...as,
    body: { allowedDomains: ['uni.example'], maxRequests: 500, maxUsd: 5 },
  });
  const made = await town.must('POST', `/api/orgs/${orgId}/edu/keys`, {
    ...as,
    body: { name: 'Machine learning 101' },
  });
  for (const name of ['grace', 'hugo']) {
    const email = `${name}@uni.example`;
    await town.must('POST', '/api/edu/request-code', { body: { key: made.key, email } });
    const code = /Your code: (\d{6})/.exec(await readMail(town, email))?.[1];
    const session = await town.must('POST', '/api/edu/verify', { body: { key: made.key, email, code } });
    await chat(town, String(session.token), { model: 'openai/gpt-4o-mini' });
  }
}

/** The address of the page that the mail of an invitation leads to. */
export async function invite(town: DemoTown, orgId: string, management: string): Promise<string> {
  const email = 'ines@northwind.example';
  await town.must('POST', `/api/orgs/${orgId}/invitations`, { key: management, body: { email, role: 'member' } });
  return /\/console\/invitation#token=[\w-]+/.exec(await readMail(town, email))?.[0] ?? '';
}

const MAIL_TRIES = 200;

async function readMail(town: DemoTown, address: string): Promise<string> {
  const outbox = join(town.folder, 'outbox');
  for (let attempt = 0; attempt < MAIL_TRIES; attempt++) {
    // A file whose name ends otherwise is still being written, under a name that will disappear.
    for (const name of (await readdir(outbox).catch(() => [])).filter((file) => file.endsWith('.eml'))) {
      const text = (await readFile(join(outbox, name), 'utf8')).replaceAll('\r', '');
      if (text.includes(`\nTo: ${address}\n`)) return text;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`no mail came for ${address}`);
}
