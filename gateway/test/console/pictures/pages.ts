// Every page that is pictured, and what is done on it before the picture. Some pages are in a state that only clicks
// can reach.

import type { Page } from 'playwright-core';
import { PASSWORD } from './company.ts';
import type { History } from './history.ts';

export type Pictured = Readonly<{ name: string; path: string; prepare?: (page: Page) => Promise<void> }>;

export const GUEST_PAGES: readonly Pictured[] = [
  { name: 'sign-in', path: '/console/sign-in' },
  { name: 'sign-up', path: '/console/sign-up' },
  { name: 'forgot-password', path: '/console/forgot-password' },
  { name: 'reset-password', path: '/console/reset-password#token=example' },
  { name: 'verify-email', path: '/console/verify-email#token=example' },
  { name: 'sign-in-organization', path: '/console/sign-in/organization' },
  { name: 'second-factor', path: '/console/second-factor' },
  { name: 'operator-entry', path: '/console/operator' },
];

const click = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name, exact: true }).first().click();
  await page.getByRole('dialog').waitFor();
};

async function compareModels(page: Page): Promise<void> {
  const another = page.getByRole('button', { name: 'Compare with another' });
  await another.click();
  await another.click();
  const models = ['anthropic/claude-sonnet-4.5', 'openai/gpt-4o', 'deepseek/deepseek-chat-v3.1'];
  for (const [index, model] of models.entries())
    await page.getByLabel(`Model ${index + 1}`, { exact: true }).selectOption(model);
  await page.getByLabel('Prompt').fill('Explain in one sentence why prepaid credit keeps a bill small.');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('See the record').nth(2).waitFor();
}

async function drawAndSpeak(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Compare with another' }).click();
  await page.getByLabel('Model 1', { exact: true }).selectOption('openai/gpt-image-1');
  await page.getByLabel('Model 2', { exact: true }).selectOption('openai/tts-1');
  await page.getByLabel('Prompt').fill('A lighthouse at dawn');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('See the record').nth(1).waitFor();
}

async function tryFilter(page: Page): Promise<void> {
  await page.getByLabel('Text', { exact: true }).fill('What will falcon cost customer NW-204811?');
  await page.getByRole('button', { name: 'Try the rules' }).click();
  await page.getByText(/The call would be refused/).waitFor();
}

async function scanSecret(page: Page): Promise<void> {
  await click('Set up an app')(page);
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('The secret', { exact: true }).waitFor();
}

async function keepTranscripts(page: Page): Promise<void> {
  const reader = page.getByRole('switch', { name: 'Members read what they sent themselves' });
  if (!(await reader.isVisible())) await page.getByRole('switch', { name: 'Keep prompts and answers' }).click();
  await reader.waitFor();
}

async function readTranscript(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show the prompt and the answer' }).click();
  await page.getByRole('heading', { name: 'answer', exact: true }).waitFor();
}

async function makeDirectoryToken(page: Page): Promise<void> {
  await page.getByLabel('Name of the token').fill('Entra');
  await page.getByRole('button', { name: 'Make a token' }).click();
  await page.getByRole('dialog').waitFor();
}

async function askToRemoveToken(page: Page): Promise<void> {
  await makeDirectoryToken(page);
  await page.keyboard.press('Escape');
  await click('Remove the token Entra')(page);
}

/** No issuer answers here, so the page is told of one. */
async function askToRemoveIssuer(page: Page): Promise<void> {
  const signOn = {
    issuer: 'https://login.northwind.example',
    clientId: 'tollgate',
    required: true,
    trustsEmail: false,
  };
  const redirectUri = `${new URL(page.url()).origin}/api/auth/sso/callback`;
  await page.route('**/api/orgs/*/sign-on', (route) =>
    route.fulfill({ json: { signOn: { ...signOn, roles: [], teams: [] }, redirectUri } }),
  );
  await page.reload();
  await click('Remove the issuer')(page);
}

/** The log says how it went. */
async function testNotices(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Test/ }).first().click();
  await page.getByText('A test', { exact: true }).waitFor();
}

/** The user agrees, and finds the key among their own. */
async function agree(page: Page): Promise<void> {
  await page.route('https://notes.example/**', (route) => route.fulfill({ body: 'Connected.' }));
  await page.getByRole('button', { name: 'Give it a key' }).click();
  await page.waitForURL('https://notes.example/**');
  const code = new URL(page.url()).searchParams.get('code');
  await page.goto('/console/keys');
  await page.evaluate(
    async (body) => {
      const headers = { 'content-type': 'application/json' };
      await (await fetch('/v1/auth/keys', { method: 'POST', headers, body })).text();
    },
    JSON.stringify({ code, code_verifier: VERIFIER, code_challenge_method: 'S256' }),
  );
  await page.getByText('Application: notes.example', { exact: true }).waitFor();
}

/** Of RFC 7636's example. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

/** Another person's application asks for a key. */
const CONNECT = new URLSearchParams({
  callback_url: 'https://notes.example/connected',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}).toString();

export function memberPages({
  orgId,
  generationId,
  autoGenerationId,
  orgGenerationId,
  invitationPath,
}: History): readonly Pictured[] {
  const org = (path: string): string => `/console/org/${orgId}${path}`;
  return [
    { name: 'welcome', path: '/console/' },
    { name: 'models', path: '/console/models' },
    { name: 'model', path: '/console/models/anthropic-claude-sonnet-4.5' },
    { name: 'model-two-routes', path: '/console/models/openai-gpt-4o' },
    { name: 'playground-empty', path: '/console/playground' },
    { name: 'playground', path: '/console/playground', prepare: compareModels },
    { name: 'playground-media', path: '/console/playground', prepare: drawAndSpeak },
    { name: 'keys', path: '/console/keys' },
    { name: 'key-dialog', path: '/console/keys', prepare: click('New key') },
    { name: 'usage', path: '/console/usage?period=month' },
    { name: 'usage-keys', path: '/console/usage?period=month&by=key' },
    { name: 'insights', path: '/console/usage?view=hours' },
    { name: 'generations', path: '/console/generations' },
    { name: 'generation', path: `/console/generations/${generationId}` },
    { name: 'generation-auto', path: `/console/generations/${autoGenerationId}` },
    { name: 'batches', path: '/console/batches' },
    { name: 'credits', path: '/console/credits' },
    { name: 'statement', path: '/console/statement' },
    { name: 'notices', path: '/console/notices' },
    { name: 'notices-dialog', path: '/console/notices', prepare: click('New address') },
    { name: 'settings', path: '/console/settings' },
    { name: 'settings-app', path: '/console/settings', prepare: click('Set up an app') },
    { name: 'settings-scan', path: '/console/settings', prepare: scanSecret },
    { name: 'settings-passkey', path: '/console/settings', prepare: click('Add a passkey') },
    { name: 'connect', path: `/console/connect?${CONNECT}` },
    { name: 'keys-application', path: `/console/connect?${CONNECT}`, prepare: agree },
    { name: 'organizations', path: '/console/orgs' },
    { name: 'organization', path: org('') },
    { name: 'org-transcripts', path: org(''), prepare: keepTranscripts },
    { name: 'org-erasure', path: org(''), prepare: click('Erase all') },
    { name: 'transcript', path: `/console/generations/${orgGenerationId}?orgId=${orgId}`, prepare: readTranscript },
    { name: 'org-teams', path: org('/teams') },
    { name: 'org-members', path: org('/members') },
    { name: 'org-keys', path: org('/keys') },
    { name: 'org-key-dialog', path: org('/keys'), prepare: click('New key') },
    { name: 'org-models', path: org('/models') },
    { name: 'org-breakers', path: org('/breakers') },
    { name: 'org-filters', path: org('/filters'), prepare: tryFilter },
    { name: 'org-guard', path: org('/filters'), prepare: click('New guard') },
    { name: 'org-notices', path: org('/notices') },
    { name: 'org-notices-log', path: org('/notices'), prepare: testNotices },
    { name: 'org-notices-removal', path: org('/notices'), prepare: click('Delete ben@northwind.example') },
    { name: 'org-feeds', path: org('/feeds') },
    { name: 'org-feeds-removal', path: org('/feeds'), prepare: click('Delete Our collector') },
    { name: 'org-feed', path: org('/feeds'), prepare: click('New feed') },
    { name: 'org-sign-on', path: org('/sign-on') },
    { name: 'org-scim-token', path: org('/sign-on'), prepare: makeDirectoryToken },
    { name: 'org-domain-removal', path: org('/sign-on'), prepare: click('Remove northwind.example') },
    { name: 'org-issuer-removal', path: org('/sign-on'), prepare: askToRemoveIssuer },
    { name: 'org-token-removal', path: org('/sign-on'), prepare: askToRemoveToken },
    { name: 'org-upstreams', path: org('/upstreams') },
    { name: 'org-institution', path: org('/institution') },
    { name: 'org-reports', path: org('/reports') },
    { name: 'org-reports-teams', path: org('/reports?view=by-team') },
    { name: 'org-reports-models', path: org('/reports?view=by-model') },
    { name: 'org-reports-members', path: org('/reports?view=by-member') },
    { name: 'org-audit-log', path: org('/audit-log') },
    { name: 'invitation', path: invitationPath },
    { name: 'not-found', path: '/console/nowhere' },
  ];
}

async function editModel(page: Page): Promise<void> {
  await click('Edit openai/gpt-4o')(page);
  await page.getByLabel('In, USD per 1M tokens').fill('2.75');
}

async function reviewModel(page: Page): Promise<void> {
  await editModel(page);
  await page.getByRole('button', { name: 'Review the change' }).click();
  await page.getByRole('region', { name: 'The difference' }).waitFor();
}

async function editDocument(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Whole document' }).click();
  await page.getByLabel('Config document').waitFor();
}

const tab = (name: string) => async (page: Page) => {
  await page.getByRole('tab', { name, exact: true }).click();
  await page.getByRole('tabpanel').waitFor();
};

async function addGuard(page: Page): Promise<void> {
  await tab('Guards')(page);
  await click('Add a guard')(page);
}

async function checkBooks(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Check the ledger' }).click();
  await page.getByText('The books balance.').waitFor();
}

export const operatorPages = ({ userId, orgId, generationId }: History): readonly Pictured[] => [
  { name: 'operator-health', path: '/console/operator' },
  { name: 'operator-overview', path: '/console/operator/overview' },
  { name: 'operator-calls', path: '/console/operator/calls' },
  { name: 'operator-providers', path: '/console/operator/providers' },
  { name: 'operator-connect', path: '/console/operator/providers/connect' },
  { name: 'operator-operators', path: '/console/operator/operators' },
  { name: 'operator-codes', path: '/console/operator/codes' },
  { name: 'operator-users', path: '/console/operator/users' },
  { name: 'operator-user', path: `/console/operator/users/${userId}` },
  { name: 'operator-orgs', path: '/console/operator/orgs' },
  { name: 'operator-org', path: `/console/operator/orgs/${orgId}` },
  { name: 'operator-catalog', path: '/console/operator/catalog' },
  { name: 'operator-catalog-edit', path: '/console/operator/catalog', prepare: editModel },
  { name: 'operator-catalog-review', path: '/console/operator/catalog', prepare: reviewModel },
  { name: 'operator-catalog-settings', path: '/console/operator/catalog', prepare: tab('Settings') },
  { name: 'operator-catalog-providers', path: '/console/operator/catalog', prepare: tab('Providers') },
  { name: 'operator-catalog-guards', path: '/console/operator/catalog', prepare: addGuard },
  { name: 'operator-catalog-document', path: '/console/operator/catalog', prepare: editDocument },
  { name: 'operator-auto-router', path: '/console/operator/auto-router' },
  { name: 'operator-brake', path: '/console/operator/brake' },
  { name: 'operator-ledger', path: '/console/operator/ledger', prepare: checkBooks },
  { name: 'operator-orders', path: '/console/operator/orders' },
  { name: 'operator-evidence', path: '/console/operator/evidence' },
  { name: 'operator-notices', path: '/console/operator/notices' },
  { name: 'operator-notice', path: '/console/operator/notices', prepare: click('New address') },
  { name: 'operator-feeds', path: '/console/operator/feeds' },
  { name: 'operator-feed', path: '/console/operator/feeds', prepare: click('New feed') },
  { name: 'operator-audit-log', path: '/console/operator/audit-log' },
  { name: 'operator-secret', path: '/console/operator/secret' },
  { name: 'operator-explain', path: `/console/operator/explain?id=${generationId}` },
];
