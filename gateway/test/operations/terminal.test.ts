// The program at a real terminal, as a person sees it who starts it for the first time, or starts it twice; its output
// with --json, which programs read; and its end together with the shell that npx has put around it.

import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { TEST_MS_MAX } from '../patience.ts';
import { gatewayProgram } from '../program.ts';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** Of util-linux: runs a command at a terminal of its own. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;
const TIMEOUT_MS = TEST_MS_MAX;
const folders: string[] = [];

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-terminal-'));
  folders.push(folder);
  return join(folder, 'data');
}

type Started = ChildProcessByStdio<Writable, Readable, null>;
type Start = Readonly<{ folder: string; port?: number; environment?: Readonly<Record<string, string>> }>;

type Step = Readonly<{ seen: string; act: (child: Started, printed: string) => void }>;

/** Everything that a command prints at a terminal until its end. Each step is taken once its words are seen. */
async function atTerminal(
  command: string,
  { folder, port = 0, environment = {} }: Start,
  ...steps: Step[]
): Promise<string> {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm', PORT: String(port), TOLLGATE_DATA_DIR: folder, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (steps[0] !== undefined && printed.includes(steps[0].seen)) steps.shift()?.act(child, printed);
  });
  await once(child, 'close');
  return printed;
}

/** What is left on the screen, line by line. */
const screenOf = (printed: string): readonly string[] =>
  printed.split('\r\n').map((line) => line.split('\u001b[K').at(-1) ?? '');

const SERVING = '/v1/chat/completions';
const STOPPING = 'finishing what is running, then stopping.';
/** Ctrl-C, as it is typed. */
const INTERRUPT: Step = { seen: SERVING, act: (child) => child.stdin.write('\u0003') };

describe.skipIf(!hasScript)('the first start at a terminal', { timeout: TIMEOUT_MS, concurrent: true }, () => {
  test('shows how far it has come in one place, and no JSON; on a port that is taken it says what to do', async () => {
    const folder = await newFolder();
    const command = `exec '${process.execPath}' '${gatewayProgram}'`;
    const printed = await atTerminal(command, { folder }, INTERRUPT);
    const left = screenOf(printed);
    expect(printed).toContain('\r\u001b[KPreparing the database: 0001-identity.sql');
    expect(printed).not.toContain('{"level"');
    expect(left.findIndex((line) => line.includes('migrations applied'))).toBe(0);
    expect(left[1]).toMatch(/^Tollgate is serving on /);
    expect(printed).toContain(`SIGINT: ${STOPPING}`);

    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const refused = await atTerminal(command, { folder, port });
    other.close();
    expect(screenOf(refused)).toEqual([
      `127.0.0.1:${port} cannot be listened on (EADDRINUSE): another program does already. End it, or say PORT=… for another port.`,
      '',
    ]);

    const unnamed = await atTerminal(command, { folder, environment: { HOST: 'no-such-host.invalid' } });
    expect(screenOf(unnamed)).toEqual([
      expect.stringMatching(/^no-such-host\.invalid cannot be listened on \(\w+\): .* Say HOST=… for an address/),
      '',
    ]);
  });

  test('says in one line why the embedded database cannot start', async () => {
    const folder = await newFolder();
    await mkdir(join(folder, 'postgres', '18'), { recursive: true });
    const refused = await atTerminal(`exec '${process.execPath}' '${gatewayProgram}'`, { folder });
    expect(screenOf(refused)).toEqual([expect.stringMatching(/^\/.* holds something else \(18\)/), '']);
  });

  test('keeps to JSON lines where that is asked for, and ends when the shell of npx is ended', async () => {
    const program = `echo shell=$$; "${process.execPath}" "${cli}" serve --json; :`;
    const start = { folder: await newFolder(), environment: { npm_command: 'exec' } };
    // The terminal stays until Enter is pressed, because its own end would end the program too.
    const printed = await atTerminal(
      `sh -c '${program}'; read enter`,
      start,
      { seen: SERVING, act: (_, soFar) => process.kill(Number(/shell=(\d+)/.exec(soFar)?.[1]), 'SIGTERM') },
      { seen: STOPPING, act: (child) => child.stdin.write('\n') },
    );
    const lines = printed.split('\r\n').slice(1);
    const end = lines.findIndex((line) => line.startsWith('Tollgate is serving'));
    const events = lines.slice(0, end);
    expect(events.length).toBeGreaterThan(40);
    for (const line of events) expect(JSON.parse(line)).toMatchObject({ level: 30, msg: 'migration applied' });
    expect(printed).toContain(`SIGTERM: ${STOPPING}`);
  });
});
