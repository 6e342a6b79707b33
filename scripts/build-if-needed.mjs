// Compiles the gateway and the simulator, puts the gateway into one file, and bundles the console, when a source is
// newer than the last build, and otherwise does nothing. The decision only compares file times, so that starting a
// built tree costs milliseconds and not a compiler run.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** What is compiled, in the order of its references: each with the file that proves it was built. */
const packages = [
  { folder: 'simulator', output: 'simulator/dist/index.js' },
  { folder: 'gateway', output: 'gateway/dist/main.js' },
];

const isSource = (name) => /\.(?:tsx?|css|html)$/.test(name) && !/\.test\.tsx?$/.test(name);

function newestSourceMs(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) newest = Math.max(newest, newestSourceMs(path));
    else if (isSource(entry.name)) {
      newest = Math.max(newest, statSync(path).mtimeMs);
    }
  }
  return newest;
}

/** The compiler's own record of the last build; it is in the output folder or beside the configuration. */
function buildRecord(folder) {
  const places = [join(root, folder, 'dist/tsconfig.tsbuildinfo'), join(root, folder, 'tsconfig.tsbuildinfo')];
  return places.find((place) => existsSync(place));
}

/** The compiler also writes a record of a failed build, with its errors or what it left undone. */
const UNFINISHED = /"(?:errors|semanticDiagnosticsPerFile|emitDiagnosticsPerFile|affectedFilesPendingEmit)":/;

function isBuilt({ folder, output }) {
  const record = buildRecord(folder);
  if (record === undefined || !existsSync(join(root, output))) return false;
  if (UNFINISHED.test(readFileSync(record, 'utf8'))) return false;
  const sources = newestSourceMs(join(root, folder, 'src'));
  const settings = ['tsconfig.base.json', join(folder, 'tsconfig.json')];
  const newest = Math.max(sources, ...settings.map((file) => statSync(join(root, file)).mtimeMs));
  return newest <= statSync(record).mtimeMs;
}

/** Answers 'current', 'built', 'failed', or 'no-compiler' when there is nothing to compile with. */
export function buildIfNeeded() {
  // A published package has the build, and no sources.
  if (!existsSync(join(root, 'gateway/src'))) return 'current';
  const outcomes = [compileIfNeeded(), joinGatewayIfNeeded(), bundleConsoleIfNeeded()];
  return ['failed', 'no-compiler', 'built'].find((outcome) => outcomes.includes(outcome)) ?? 'current';
}

function compileIfNeeded() {
  if (packages.every(isBuilt)) return 'current';
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  if (!existsSync(compiler)) return 'no-compiler';

  // The compiler trusts its record even when the output was deleted, so a missing output needs a full build.
  const isMissingOutput = packages.some(({ output }) => !existsSync(join(root, output)));
  const parameters = [compiler, '-b', 'gateway', ...(isMissingOutput ? ['--force'] : [])];
  console.error('Building…');
  const build = spawnSync(process.execPath, parameters, { cwd: root, stdio: ['ignore', 2, 2] });
  if (build.status !== 0) return 'failed';

  // A source that was touched but not changed leaves the record as it was; without this it would look stale forever.
  const now = new Date();
  for (const { folder } of packages) {
    const record = buildRecord(folder);
    if (record !== undefined) utimesSync(record, now, now);
  }
  return 'built';
}

/** Packages are part of the file, so an install makes it stale. */
function joinGatewayIfNeeded() {
  const program = join(root, 'gateway/dist/tollgate.cjs');
  const script = join(root, 'scripts/bundle-gateway.mjs');
  const parts = join(root, 'scripts/undici-parts.mjs');
  const inputs = [buildRecord('gateway'), join(root, 'package-lock.json'), script, parts].filter(
    (file) => file !== undefined,
  );
  const newest = Math.max(...inputs.map((file) => statSync(file).mtimeMs));
  if (existsSync(program) && newest <= statSync(program).mtimeMs) return 'current';
  if (!existsSync(join(root, 'node_modules/esbuild'))) return 'no-compiler';
  const joining = spawnSync(process.execPath, [script], { cwd: root, stdio: ['ignore', 2, 2] });
  return joining.status === 0 ? 'built' : 'failed';
}

/** The console's page is written last by the bundler, so its time is that of the whole bundle. */
function bundleConsoleIfNeeded() {
  const folder = join(root, 'console');
  const page = join(folder, 'dist/index.html');
  const inputs = ['index.html', 'vite.config.ts', 'package.json'].map((file) => statSync(join(folder, file)).mtimeMs);
  const newest = Math.max(newestSourceMs(join(folder, 'src')), ...inputs);
  if (existsSync(page) && newest <= statSync(page).mtimeMs) return 'current';
  const bundler = join(root, 'node_modules/vite/bin/vite.js');
  if (!existsSync(bundler)) return 'no-compiler';
  console.error('Bundling the console…');
  const bundle = spawnSync(process.execPath, [bundler, 'build', '--logLevel', 'warn'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  return bundle.status === 0 ? 'built' : 'failed';
}
