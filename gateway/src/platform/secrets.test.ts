// A generated secret must outlive a restart, be readable by nobody else, and be the same for processes that start
// together: a second secret would make everything sealed with the first unreadable.

import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadOrCreateAdminToken, loadOrCreateSecret } from './secrets.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-secrets-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

test('a secret is made once and then kept', async () => {
  const dataDir = join(folder, 'deep', 'data');
  const first = await loadOrCreateSecret(dataDir);
  const second = await loadOrCreateSecret(dataDir);
  expect(first.isNew).toBe(true);
  expect(first.value.length).toBeGreaterThanOrEqual(43);
  expect(second).toEqual({ value: first.value, isNew: false });
  expect((await stat(join(dataDir, 'secret'))).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['secret']);
});

test('the secret and the operator token are different things', async () => {
  const secret = await loadOrCreateSecret(folder);
  const token = await loadOrCreateAdminToken(folder);
  expect(token.isNew).toBe(true);
  expect(token.value).not.toBe(secret.value);
  expect(token.value).toMatch(/^tg-admin-[\w-]{32}$/);
});

test('starts at the same moment end with one secret, made by one of them', async () => {
  const kept = await Promise.all(Array.from({ length: 16 }, () => loadOrCreateSecret(folder)));
  expect(new Set(kept.map((secret) => secret.value)).size).toBe(1);
  expect(kept.filter((secret) => secret.isNew)).toHaveLength(1);
  expect(await readdir(folder)).toEqual(['secret']);
});

test('an empty file is refused and not replaced', async () => {
  await writeFile(join(folder, 'secret'), '\n');
  await expect(loadOrCreateSecret(folder)).rejects.toThrow('is empty');
});
