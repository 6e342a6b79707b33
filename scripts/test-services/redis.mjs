// A real Redis server for the second run of the service tests: the one in REDIS_URL, else one started here from a
// program found on the machine, else one installed with apt-get where that is allowed. A server started here keeps
// nothing on disk and is reachable on loopback alone.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { installWithApt } from './install-with-apt.mjs';

const START_DEADLINE_MS = 15_000;
const STOP_DEADLINE_MS = 5_000;

function findProgram() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  const programs = folders.filter((folder) => folder !== '').map((folder) => join(folder, 'redis-server'));
  return programs.find((program) => existsSync(program)) ?? null;
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

function waitUntilReady(server, log) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Redis did not start: ${log.text}`)), START_DEADLINE_MS);
    const settle = (finish) => {
      clearTimeout(timer);
      finish();
    };
    server.stdout.on('data', (chunk) => {
      log.text = (log.text + chunk).slice(-8_000);
      if (/Ready to accept connections/i.test(log.text)) settle(resolve);
    });
    server.on('error', (error) => settle(() => reject(error)));
    server.on('exit', (code) => settle(() => reject(new Error(`Redis ended with ${code}: ${log.text}`))));
  });
}

function stopper(server) {
  const hasEnded = new Promise((resolve) => server.on('exit', resolve));
  // Also runs when this script is interrupted: an orphan would keep its port and memory.
  const endNow = () => server.kill('SIGKILL');
  process.on('exit', endNow);
  return async () => {
    process.off('exit', endNow);
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGTERM');
    const timer = setTimeout(endNow, STOP_DEADLINE_MS);
    await hasEnded;
    clearTimeout(timer);
  };
}

async function startServer(program) {
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn(program, settings, { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'ignore'] });
  const stop = stopper(server);
  try {
    await waitUntilReady(server, { text: '' });
  } catch (error) {
    await stop();
    throw error;
  }
  const [version] = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.match(/v=[\d.]+/) ?? [''];
  return { url: `redis://127.0.0.1:${port}`, description: `Redis ${version.slice(2)}`, stop };
}

/** `{ url, description, stop }`, or `{ missing }` with the reason in words. */
export async function obtainRedis() {
  const given = process.env.REDIS_URL;
  if (given !== undefined && given !== '') {
    return { url: given, description: 'the server of REDIS_URL', stop: async () => {} };
  }
  if (findProgram() === null) installWithApt('redis-server');
  const program = findProgram();
  if (program === null) return { missing: 'no REDIS_URL, no redis-server in PATH, and none could be installed' };
  try {
    return await startServer(program);
  } catch (error) {
    return { missing: error.message };
  }
}
