// PgBouncer in front of a database, as Debian packages it.

import { type ChildProcess, spawn } from 'node:child_process';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { account, freePort, programOf, until } from './programs.ts';

export class PgBouncer {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
  }

  static async start(serverUrl: string, mode: 'transaction' | 'session'): Promise<PgBouncer> {
    const { host, port, database, user, password } = new Client({ connectionString: serverUrl });
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-bouncer-'));
    const ownPort = await freePort();
    await writeFile(join(folder, 'users.txt'), `"${user}" "${password ?? ''}"\n`);
    const settings = `[databases]
${database} = host=${host} port=${port} dbname=${database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${mode}
max_client_conn = 500
default_pool_size = 20
`;
    await writeFile(join(folder, 'pgbouncer.ini'), settings);
    if (account.uid !== undefined) await chown(folder, account.uid, account.gid ?? 0);
    const child = spawn(programOf('pgbouncer'), [join(folder, 'pgbouncer.ini')], { ...account, stdio: 'ignore' });
    const url = `postgres://${user}:${password ?? ''}@127.0.0.1:${ownPort}/${database}`;
    const bouncer = new PgBouncer(url, child, folder);
    await until('PgBouncer answers', async () => {
      const client = new Client({ connectionString: url });
      client.on('error', () => {});
      await client.connect();
      await client.end();
      return true;
    });
    return bouncer;
  }

  /** Keeps its connections and passes nothing on. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    if (this.#child.exitCode === null && this.#child.kill('SIGQUIT')) await ended;
    await rm(this.#folder, { recursive: true, force: true });
  }
}
