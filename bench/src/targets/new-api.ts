// new-api with its SQLite file, set up as through its own pages: an administrator, a channel for each mode, a token.

import { processTree } from '../measure/process-usage.ts';
import { freePort, startProcess, temporaryFolder, waitForAnswer } from '../processes.ts';
import { findProgram } from './find-program.ts';
import { type Absent, bearer, chatBody, MODES, type Target } from './target.ts';

const PERSON = { username: 'bench', password: 'bench-password' };

export async function startNewApi(upstreamPort: number): Promise<Target | Absent> {
  const program = findProgram('BENCH_NEW_API', ['new-api']);
  if (typeof program !== 'string') return program;
  const folder = await temporaryFolder('new-api');
  const port = await freePort();
  const started = startProcess({
    name: 'new-api',
    place: 'proxy',
    command: program,
    parameters: ['--port', String(port), '--log-dir', folder],
    environment: { SQLITE_PATH: `${folder}/new-api.db`, GLOBAL_API_RATE_LIMIT_ENABLE: 'false' },
  });
  const origin = `http://127.0.0.1:${port}`;
  await waitForAnswer(`${origin}/api/status`, started);
  const key = await setUp(origin, upstreamPort);
  return {
    name: 'new-api',
    title: 'new-api',
    port,
    requests: (mode, contentBytes) => [
      { path: '/v1/chat/completions', headers: bearer(`sk-${key}`), body: chatBody(mode, mode, contentBytes) },
    ],
    pids: () => processTree(started.pid),
    stop: started.stop,
  };
}

async function setUp(origin: string, upstreamPort: number): Promise<string> {
  let headers: Record<string, string> = { 'content-type': 'application/json' };
  const call = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const answer = await fetch(origin + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!answer.ok) throw new Error(`new-api: ${path} gave ${answer.status}`);
    return answer;
  };
  const { password } = PERSON;
  await call('POST', '/api/setup', { ...PERSON, confirmPassword: password, SelfUseModeEnabled: true });
  const login = await call('POST', '/api/user/login', PERSON);
  const { data: user } = (await login.json()) as { data: { id: number } };
  const cookie = login.headers.getSetCookie().map((line) => line.split(';')[0]);
  headers = { ...headers, cookie: cookie.join('; '), 'New-Api-User': String(user.id) };
  for (const mode of MODES) {
    const place = { type: 1, name: mode, key: 'bench', base_url: `http://127.0.0.1:${upstreamPort}/${mode}` };
    await call('POST', '/api/channel/', { mode: 'single', channel: { ...place, models: mode, group: 'default' } });
  }
  await call('POST', '/api/token/', { name: 'bench', unlimited_quota: true, expired_time: -1 });
  const listed = (await (await call('GET', '/api/token/?p=0&size=10')).json()) as {
    data: { items: { key: string }[] };
  };
  const [token] = listed.data.items;
  if (token === undefined) throw new Error('new-api made no token');
  return token.key;
}
