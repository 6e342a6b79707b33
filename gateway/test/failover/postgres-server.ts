// A PostgreSQL server of a test's own, because the test kills it, freezes it and promotes its standby.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFile, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { account, freePort, programOf, until } from './programs.ts';

const PASSWORD = 'test-password';
const DATABASE = 'tollgate';
const STANDBY_NAME = 'standby';

export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  #child: ChildProcess | null = null;
  #isProtected = false;
  #hasSmallLog = false;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  static async #prepare(): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-pair-'));
    if (account.uid !== undefined) await chown(folder, account.uid, account.gid ?? 0);
    return new PostgresServer(folder, await freePort());
  }

  /** `logFolder` is where the write-ahead log goes, which is then kept as small as it can be. */
  static async primary(options: Readonly<{ isProtected?: boolean; logFolder?: string }> = {}): Promise<PostgresServer> {
    const server = await PostgresServer.#prepare();
    server.#isProtected = options.isProtected ?? false;
    server.#hasSmallLog = options.logFolder !== undefined;
    const log = options.logFolder === undefined ? [] : ['-X', options.logFolder, '--wal-segsize=1'];
    const passwordFile = join(server.#folder, 'password');
    await writeFile(passwordFile, PASSWORD);
    const parameters = ['-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordFile, '--no-sync', '--no-locale'];
    server.#run('initdb', ['-D', server.#data, '-E', 'UTF8', ...log, ...parameters]);
    await appendFile(join(server.#data, 'pg_hba.conf'), 'host replication all 127.0.0.1/32 scram-sha-256\n');
    if (server.#isProtected) server.#makeCertificate();
    await server.start();
    await server.query(`create database ${DATABASE}`, 'postgres');
    return server;
  }

  /** Streams from the primary from now on. */
  static async standbyOf(primary: PostgresServer): Promise<PostgresServer> {
    const server = await PostgresServer.#prepare();
    await server.#copy(primary);
    await server.start();
    await until('the standby streams', async () => (await primary.query('select from pg_stat_replication')).length > 0);
    return server;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `postgres://postgres:${PASSWORD}@${this.address}/${DATABASE}`;
  }

  async #copy(primary: PostgresServer): Promise<void> {
    const source = `host=127.0.0.1 port=${primary.port} user=postgres password=${PASSWORD} application_name=${STANDBY_NAME}`;
    this.#run('pg_basebackup', ['-D', this.#data, '-d', source, '-X', 'stream', '-R', '-c', 'fast', '--no-sync']);
  }

  async start(): Promise<void> {
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${this.port}`,
      `unix_socket_directories=${this.#folder}`,
      'max_connections=200',
      'fsync=off',
      'wal_level=replica',
      ...(this.#hasSmallLog ? ['min_wal_size=2MB', 'max_wal_size=4MB'] : ['wal_keep_size=256MB']),
      'hot_standby=on',
      ...(this.#isProtected ? ['ssl=on', 'ssl_cert_file=server.crt', 'ssl_key_file=server.key'] : []),
    ];
    const parameters = ['-D', this.#data, ...settings.flatMap((setting) => ['-c', setting])];
    const child = spawn(programOf('postgres'), parameters, { ...account, cwd: this.#folder, stdio: 'ignore' });
    this.#child = child;
    await until('PostgreSQL answers', async () => {
      if (child.exitCode !== null) throw new Error('PostgreSQL has ended');
      return (await this.query('select 1', 'postgres')).length === 1;
    });
  }

  get hasEnded(): boolean {
    return this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async query<Row extends object>(text: string, database = DATABASE): Promise<Row[]> {
    const client = new Client({ connectionString: this.url.replace(`/${DATABASE}`, `/${database}`) });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** A commit waits for the standby. */
  async setSynchronous(isSynchronous: boolean): Promise<void> {
    await this.query(`alter system set synchronous_standby_names = '${isSynchronous ? STANDBY_NAME : ''}'`);
    await this.query('select pg_reload_conf()');
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote(true, 30)');
  }

  async kill(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  /** The server with all its sessions keeps its connections and does not answer. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  #signal(signal: NodeJS.Signals): void {
    for (const pid of this.#processes()) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // A session may have ended since they were listed.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  /** After it was killed: as a standby of the server that took its place. */
  async rejoin(primary: PostgresServer): Promise<void> {
    await this.kill();
    await rm(this.#data, { recursive: true, force: true });
    await this.#copy(primary);
    await this.start();
    await until('the standby streams', async () => (await primary.query('select from pg_stat_replication')).length > 0);
  }

  async remove(): Promise<void> {
    this.thaw();
    await this.#end('SIGQUIT');
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Of the server, which is its own authority; it is for `localhost` and not for the address. */
  get certificateFile(): string {
    return join(this.#data, 'server.crt');
  }

  #makeCertificate(): void {
    const files = ['-keyout', join(this.#data, 'server.key'), '-out', this.certificateFile];
    this.#run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      ...files,
    ]);
  }

  #processes(): number[] {
    const pid = this.#child?.pid;
    if (pid === undefined || this.#child?.exitCode !== null) return [];
    const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout;
    return [
      pid,
      ...children
        .split('\n')
        .map(Number)
        .filter((child) => child > 0),
    ];
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  #run(name: string, parameters: readonly string[]): void {
    const run = spawnSync(programOf(name), [...parameters], { ...account, cwd: this.#folder, encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`${name} failed: ${run.stderr}`);
  }
}
