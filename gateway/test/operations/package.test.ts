// `npm pack` makes a package that runs on a machine without the sources: it contains what the gateway reads, and
// nothing is compiled when it starts.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tollgate-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));

test('the package asks for what the gateway asks for, and brings the simulator along', () => {
  const [whole, gateway] = [read('package.json'), read('gateway/package.json')];
  expect(whole.dependencies).toEqual(gateway.dependencies);
  expect(whole.optionalDependencies).toEqual(gateway.optionalDependencies);
  expect(whole.bundleDependencies).toEqual(['@tollgate/simulator']);
});

test.skipIf(!existsSync(join(root, 'gateway/dist/tollgate.cjs')))(
  'the packed files are enough for the command line, and nothing is built',
  () => {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
        ...{ cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
      }),
    ) as { filename: string; files: { path: string }[] }[];
    const paths = packed?.files.map(({ path }) => path) ?? [];
    for (const needed of [
      'gateway/dist/tollgate.cjs',
      'gateway/dist/tollgate.js',
      'gateway/catalog/vendors/labs.json',
      'gateway/migrations/0001-identity.sql',
      'gateway/package.json',
    ]) {
      expect(paths).toContain(needed);
    }
    expect(paths.filter((path) => /(?:^|\/)(?:src|test)\/|\.test\.|\.env$|^data\//.test(path))).toEqual([]);
    execFileSync('tar', ['-xzf', join(folder, packed?.filename ?? ''), '-C', folder]);
    const home = join(folder, 'package');
    expect(existsSync(join(home, 'node_modules/@tollgate/simulator/dist/index.js'))).toBe(true);
    // What npm would install beside it.
    const beside = join(folder, 'node_modules');
    symlinkSync(join(root, 'node_modules'), beside);
    const version = execFileSync('node', [join(home, 'scripts/tollgate.mjs'), '--version'], { encoding: 'utf8' });
    expect(version.trim()).toBe(read('gateway/package.json').version);
    expect(existsSync(join(home, 'gateway/src'))).toBe(false);
  },
);
