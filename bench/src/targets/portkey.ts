// Portkey's gateway, the peer written in TypeScript. It is never a dependency: it is looked for in a folder, or
// installed once into a cache folder when the run allows it.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startProcess, waitForAnswer } from '../processes.ts';
import { type Absent, bearer, chatBody, type Target } from './target.ts';

const PACKAGE = '@portkey-ai/gateway';
const VERSION = '1.15.2';
/** With a later version, which its range allows, every stream of this version fails on immutable headers. */
const OVERRIDES = { '@hono/node-server': '1.13.8' };
const INSTALL_TIMEOUT_MS = 300_000;

export type PeerOptions = Readonly<{ folder: string | null; mayInstall: boolean }>;

export async function startPortkey(upstreamPort: number, options: PeerOptions): Promise<Target | Absent> {
  const program = locate(options);
  if (typeof program !== 'string') return program;
  const port = await freePort();
  const started = startProcess({
    name: 'portkey',
    place: 'proxy',
    command: process.execPath,
    parameters: [program, `--port=${port}`, '--headless'],
    environment: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
  });
  await waitForAnswer(`http://127.0.0.1:${port}/`, started);
  return {
    name: 'portkey',
    title: `Portkey gateway ${VERSION}`,
    port,
    requests: (mode, contentBytes) => [
      {
        path: '/v1/chat/completions',
        headers: {
          ...bearer('bench'),
          'x-portkey-provider': 'openai',
          'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/${mode}/v1`,
        },
        body: chatBody('bench', mode, contentBytes),
      },
    ],
    pids: () => [started.pid],
    stop: started.stop,
  };
}

function locate({ folder, mayInstall }: PeerOptions): string | Absent {
  const place = folder ?? join(tmpdir(), 'tollgate-bench-peers');
  const program = join(place, 'node_modules', PACKAGE, 'build', 'start-server.js');
  if (folder === null && mayInstall && !existsSync(program)) {
    mkdirSync(place, { recursive: true, mode: 0o700 });
    install(place);
  }
  if (!existsSync(program)) {
    return { absent: `${PACKAGE} is not in ${place}; set BENCH_PEERS or allow --install-peers` };
  }
  // Anyone may write to the temporary folder, and its content is about to be run.
  if (folder === null && statSync(place).uid !== process.getuid?.()) {
    return { absent: `${place} belongs to someone else; set BENCH_PEERS` };
  }
  return program;
}

function install(folder: string): void {
  const manifest = { private: true, dependencies: { [PACKAGE]: VERSION }, overrides: OVERRIDES };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  execFileSync('npm', ['install', '--ignore-scripts'], {
    stdio: 'ignore',
    cwd: folder,
    env: installEnvironment(),
    timeout: INSTALL_TIMEOUT_MS,
  });
}

/** Without npm's own variables, because npm would take the folder for a workspace of this project. */
const installEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && name !== 'INIT_CWD'));
