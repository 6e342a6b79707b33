// Terraform itself applies the Terraform example to a running gateway. A machine without Terraform skips that, and
// still checks that the gateway has every route that the example calls.

import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Harness, type Json, startHarness } from '../harness.ts';

const EXAMPLE = fileURLToPath(new URL('../../../deploy/terraform', import.meta.url));
const hasTerraform = spawnSync('terraform', ['version']).status === 0;
if (!hasTerraform) console.error('\n!! NOT RUN: the Terraform example. Install Terraform to try it.');

let harness: Harness;
let folder: string;

beforeAll(async () => {
  harness = await startHarness();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-terraform-'));
  await cp(EXAMPLE, folder, { recursive: true });
});

afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

const terraform = (...parameters: string[]) =>
  promisify(execFile)('terraform', [...parameters, '-no-color'], {
    cwd: folder,
    env: { ...process.env, TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN, TF_IN_AUTOMATION: 'yes', CHECKPOINT_DISABLE: 'yes' },
  });

async function apply(document: Json, minuteUsd: number): Promise<string> {
  await writeFile(join(folder, 'catalog.json'), JSON.stringify(document));
  const variables = {
    gateway: harness.url,
    catalog: 'catalog.json',
    brake: { enabled: true, minuteUsd, hourUsd: 500 },
    auto_router: { 'paid/simple': { enabled: true, models: ['openai/test'] } },
  };
  await writeFile(join(folder, 'terraform.tfvars.json'), JSON.stringify(variables));
  return (await terraform('apply', '-auto-approve')).stdout;
}

test('it calls what the gateway has', async () => {
  const surface = await readFile(new URL('../surface/published-surface.txt', import.meta.url), 'utf8');
  const calls = [
    ...(await readFile(join(EXAMPLE, 'main.tf'), 'utf8')).matchAll(/METHOD = "(\w+)".*?CALL = "([^"]+)"/gs),
  ];
  expect(calls).toHaveLength(3);
  for (const [, method, path = ''] of calls) {
    // What is filled in there is a table and a tier.
    const route = `${method} ${path.replace(/\$\{[^}]+\}/, ':table/:tier')}`;
    expect(surface.replace(/ +/g, ' ').split('\n')).toContain(`operator ${route}`);
  }
});

test.skipIf(!hasTerraform)('what stands in its variables is applied, and again only when it has changed', async () => {
  await terraform('init');
  await terraform('validate');
  const live = await harness.operate('GET', '/admin/v1/config');
  const [name, entry] = Object.entries(live.models as Json)[0] ?? [];
  const models = { ...(live.models as Json), [String(name)]: { ...(entry as Json), description: 'It’s "new" $HOME' } };
  await apply({ ...live, models }, 40);
  const applied = (await harness.operate('GET', '/admin/v1/config')).models as Record<string, Json>;
  expect(applied[String(name)]?.description).toBe('It’s "new" $HOME');
  expect(await harness.operate('GET', '/admin/v1/brake')).toMatchObject({ enabled: true, minuteUsd: 40, hourUsd: 500 });
  const tier = await harness.operate('GET', '/admin/v1/auto-router/paid/simple');
  expect(tier).toMatchObject({ enabled: true, models: ['openai/test'] });

  expect(await apply({ ...live, models }, 40)).toContain('0 added, 0 changed, 0 destroyed');
  expect(await apply({ ...live, models }, 60)).toContain('1 added, 0 changed, 1 destroyed');
  expect(await harness.operate('GET', '/admin/v1/brake')).toMatchObject({ minuteUsd: 60 });
  expect(await readFile(join(folder, 'terraform.tfstate'), 'utf8')).not.toContain(ADMIN_TOKEN);

  const refused = apply({ ...live, models: { 'openai/test': { routes: 'none' } } }, 60);
  await expect(refused).rejects.toThrow(/error/i);
  expect(Object.keys((await harness.operate('GET', '/admin/v1/config')).models as Json)).toContain(String(name));
});
