// Compiles the gateway and the simulator when a source is newer than the last build, and otherwise does nothing.
// The decision only compares file times, so that starting a built tree costs milliseconds and not a compiler run.

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

function newestSourceMs(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) newest = Math.max(newest, newestSourceMs(path));
    else if (entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts')) {
      newest = Math.max(newest, statSync(path).mtimeMs);
    }
  }
  return newest;
}

/** The compiler's own record of the last build; it lies in the output folder or beside the configuration. */
function buildRecord(folder) {
  const places = [join(root, folder, 'dist/tsconfig.tsbuildinfo'), join(root, folder, 'tsconfig.tsbuildinfo')];
  return places.find((place) => existsSync(place));
}

/** The compiler also writes a record of a build that failed, with what it found or left undone. */
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
