// The program at a real terminal, as somebody sees it who starts it for the first time; and what it prints where --json
// is asked for, which programs read.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { gatewayProgram } from '../program.ts';

/** Of util-linux: runs a command at a terminal of its own. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;
const TIMEOUT_MS = 120_000;
const folders: string[] = [];

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** All that a first start prints at a terminal until it serves and is interrupted. */
async function firstStart(...parameters: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-terminal-'));
  folders.push(folder);
  const command = [process.execPath, gatewayProgram, ...parameters].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `exec ${command}`, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm', PORT: '0', TOLLGATE_DATA_DIR: join(folder, 'data') },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let printed = '';
  let isInterrupted = false;
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (isInterrupted || !printed.includes('/v1/chat/completions')) return;
    isInterrupted = true;
    // Ctrl-C, as it is typed.
    child.stdin.write('\u0003');
  });
  await new Promise((resolve) => child.once('exit', resolve));
  return printed;
}

describe.skipIf(!hasScript)('the first start at a terminal', { timeout: TIMEOUT_MS, concurrent: true }, () => {
  test('shows how far it has come in one place, and no JSON', async () => {
    const printed = await firstStart();
    const left = printed.split('\r\n').map((line) => line.split('\u001b[K').at(-1) ?? '');
    expect(printed).toContain('\r\u001b[KPreparing the database: 0001-identity.sql');
    expect(printed).not.toContain('{"level"');
    expect(left.findIndex((line) => line.includes('migrations applied'))).toBe(0);
    expect(left[1]).toMatch(/^Tollgate is serving on /);
    expect(printed).toContain('SIGINT: finishing what is running, then stopping.');
  });

  test('keeps to JSON lines where that is asked for', async () => {
    const lines = (await firstStart('--json')).split('\r\n');
    const events = lines.slice(
      0,
      lines.findIndex((line) => line.startsWith('Tollgate is serving')),
    );
    expect(events.length).toBeGreaterThan(40);
    for (const line of events) expect(JSON.parse(line)).toMatchObject({ level: 30, msg: 'migration applied' });
  });
});
