// A real PostgreSQL server for the second run of the service tests: the one in DATABASE_URL, else one started here from
// a program found on the machine, else one installed with apt-get where that is allowed. A server started here lives in
// a temporary folder, is reachable on loopback with a random password, and does not sync to disk: tests, not data.

import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { installWithApt } from './install-with-apt.mjs';

const START_DEADLINE_MS = 30_000;
const STOP_DEADLINE_MS = 10_000;

/** Debian keeps versions side by side and none of them in PATH; the newest wins. */
function debianFolders() {
  const base = '/usr/lib/postgresql';
  if (!existsSync(base)) return [];
  const versions = readdirSync(base).filter((name) => /^\d+$/.test(name));
  return versions.sort((left, right) => Number(right) - Number(left)).map((version) => join(base, version, 'bin'));
}

/** The folder with `postgres` and its `initdb`, links followed, because they find their files beside themselves. */
function findPrograms() {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), ...debianFolders()]) {
    const program = join(folder, 'postgres');
    if (folder === '' || !existsSync(program)) continue;
    const home = dirname(realpathSync(program));
    if (existsSync(join(home, 'initdb'))) return home;
  }
  return null;
}

function numericId(flag, user) {
  const run = spawnSync('id', [flag, user], { encoding: 'utf8' });
  return run.status === 0 ? Number(run.stdout.trim()) : null;
}

/** PostgreSQL refuses to run as root, so root runs it under another account; any other user runs it as themselves. */
function serverAccount() {
  if (process.getuid?.() !== 0) return {};
  for (const user of ['postgres', 'nobody']) {
    const uid = numericId('-u', user);
    const gid = numericId('-g', user);
    if (uid !== null && gid !== null) return { uid, gid };
  }
  return {};
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function initialize(programs, folder, account) {
  const password = randomBytes(18).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account.uid !== undefined) for (const path of [folder, passwordFile]) chownSync(path, account.uid, account.gid);
  const parameters = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordFile];
  const locale = ['-E', 'UTF8', '--no-locale', '--no-sync'];
  const run = spawnSync(join(programs, 'initdb'), [...parameters, ...locale], {
    ...account,
    cwd: folder,
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(`initdb failed: ${run.stderr || run.error?.message}`);
  return password;
}

function waitUntilReady(server, log) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`PostgreSQL did not start: ${log.text}`)), START_DEADLINE_MS);
    const settle = (finish) => {
      clearTimeout(timer);
      finish();
    };
    server.stderr.on('data', (chunk) => {
      log.text = (log.text + chunk).slice(-8_000);
      if (log.text.includes('database system is ready to accept connections')) settle(resolve);
    });
    server.on('error', (error) => settle(() => reject(error)));
    server.on('exit', (code) => settle(() => reject(new Error(`PostgreSQL ended with ${code}: ${log.text}`))));
  });
}

function stopper(server, folder) {
  const hasEnded = new Promise((resolve) => server.on('exit', resolve));
  // Also runs when this script is interrupted: an orphan would keep its port and memory.
  const endNow = () => server.kill('SIGQUIT');
  process.on('exit', endNow);
  return async () => {
    process.off('exit', endNow);
    if (server.exitCode === null && server.signalCode === null) {
      server.kill('SIGINT');
      const timer = setTimeout(endNow, STOP_DEADLINE_MS);
      await hasEnded;
      clearTimeout(timer);
    }
    rmSync(folder, { recursive: true, force: true });
  };
}

async function startServer(programs) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-postgres-'));
  const account = serverAccount();
  const password = initialize(programs, folder, account);
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    'max_connections=300',
    'fsync=off',
    'full_page_writes=off',
    'log_min_messages=log',
  ];
  const parameters = ['-D', join(folder, 'data'), ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(programs, 'postgres'), parameters, {
    ...account,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = stopper(server, folder);
  try {
    await waitUntilReady(server, { text: '' });
  } catch (error) {
    await stop();
    throw error;
  }
  const version = spawnSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout.trim();
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, description: version, stop };
}

/** Tests of fail-overs start servers of their own, and a pooler; they look for the programs themselves. */
export function ensureDatabasePrograms() {
  if (findPrograms() === null) installWithApt('postgresql');
  const isPoolerThere = ['/usr/sbin', '/usr/bin'].some((folder) => existsSync(join(folder, 'pgbouncer')));
  if (!isPoolerThere) installWithApt('pgbouncer');
}

/** `{ url, description, stop }`, or `{ missing }` with the reason in words. */
export async function obtainPostgres() {
  const given = process.env.DATABASE_URL;
  if (given !== undefined && given !== '') {
    return { url: given, description: 'the server of DATABASE_URL', stop: async () => {} };
  }
  if (findPrograms() === null) installWithApt('postgresql');
  const programs = findPrograms();
  if (programs === null) {
    return { missing: 'no DATABASE_URL, no postgres in PATH or /usr/lib/postgresql, and none could be installed' };
  }
  try {
    return await startServer(programs);
  } catch (error) {
    return { missing: error.message };
  }
}
