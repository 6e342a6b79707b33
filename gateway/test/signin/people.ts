// A gateway whose mails are in a folder, and people who use it.

import { scryptSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { hashPassword, verifyPassword } from '../../src/modules/identity/password.ts';
import { createSignInParts, type SignInParts } from '../../src/modules/signin/create-signin.ts';
import type { Passwords } from '../../src/modules/signin/password-flows.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { openNotices } from '../../src/platform/db/notices.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { createRootSecret } from '../../src/platform/root-secret.ts';
import { type Harness, type HarnessOptions, type Json, startHarness } from '../harness.ts';
import { Browser } from './browser.ts';

export const PASSWORD = 'a long enough password';

/** A hash states its own cost, and most tests are not about that: this one is quick to compare. */
const CHEAP_HASH = ((): string => {
  const [salt, options] = [Buffer.alloc(16, 'salt'), { N: 1_024, r: 8, p: 1 }];
  const hash = scryptSync(PASSWORD, salt, 32, options);
  return ['scrypt', options.N, options.r, options.p, salt.toString('base64'), hash.toString('base64')].join('$');
})();

/** A user of the operator's with the password of everybody here; the id. */
export async function addPerson(harness: Harness, person: Readonly<{ email: string; name: string }>): Promise<string> {
  const { id } = await harness.operate('POST', '/admin/v1/users', person);
  const client = new Client(harness.databaseUrl);
  await client.connect();
  await client.query('update users set password_hash = $2 where id = $1', [id, CHEAP_HASH]);
  await client.end();
  return String(id);
}

/** The real time, moved on by the test; timers run as usual. */
export class ShiftedClock implements Clock {
  #shiftMs = 0;
  #stoppedAtMs: number | null = null;

  move(durationMs: number): void {
    this.#shiftMs += durationMs;
  }

  /** From now on only a test moves the clock, so that a slow machine makes no difference. */
  stop(): void {
    this.#stoppedAtMs = Date.now();
  }

  goOn(): void {
    this.#stoppedAtMs = null;
  }

  readonly nowMs = (): number => (this.#stoppedAtMs ?? Date.now()) + this.#shiftMs;
  readonly monotonicMs = (): number => performance.now() + this.#shiftMs;
  readonly every = (intervalMs: number, run: () => void): (() => void) => {
    const timer = setInterval(run, intervalMs);
    timer.unref();
    return () => clearInterval(timer);
  };
  readonly sleep = (durationMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, durationMs));
}

export class Town {
  readonly harness: Harness;
  readonly clock: ShiftedClock;
  readonly folder: string;

  constructor(parts: { harness: Harness; clock: ShiftedClock; folder: string }) {
    this.harness = parts.harness;
    this.clock = parts.clock;
    this.folder = parts.folder;
  }

  get outbox(): string {
    return join(this.folder, 'outbox');
  }

  browser(): Browser {
    return new Browser(this.harness);
  }

  newAddress(): string {
    return `person-${crypto.randomUUID()}@example.test`;
  }

  /** The texts of all mails to an address, oldest first. */
  async mails(address: string): Promise<string[]> {
    const names = await readdir(this.outbox).catch(() => []);
    const files = names.filter((name) => name.endsWith('.eml')).sort();
    const texts = await Promise.all(files.map((name) => readFile(join(this.outbox, name), 'utf8')));
    return texts.filter((text) => text.includes(`\nTo: ${address}\n`));
  }

  /** Waits until an address has got this many mails and returns the last of them. */
  async mail(address: string, count = 1): Promise<string> {
    for (let attempt = 0; attempt < 12_000; attempt++) {
      const mails = await this.mails(address);
      const last = mails.at(-1);
      if (mails.length >= count && last !== undefined) return last;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`${address} got ${(await this.mails(address)).length} mails instead of ${count}`);
  }

  async token(address: string, count = 1): Promise<string> {
    const token = /#token=([\w-]+)/.exec(await this.mail(address, count))?.[1];
    if (token === undefined) throw new Error('the mail has no link');
    return token;
  }

  /** A person who has signed up, confirmed the address and signed in. */
  async signedIn(address = this.newAddress()): Promise<{ browser: Browser; userId: string; address: string }> {
    const browser = this.browser();
    await browser.post('/api/auth/signup', { email: address, name: 'Ann' });
    const confirmed = { token: await this.token(address), password: PASSWORD };
    await browser.post('/api/auth/verify-email', confirmed);
    const answer = await browser.post('/api/auth/login', { email: address, password: PASSWORD });
    if (answer.status !== 200) throw new Error(`sign-in: ${answer.status} ${answer.text}`);
    return { browser, address, userId: String((answer.body.user as Json).id) };
  }

  /** A user of the operator's who has signed in; quicker, because no mail is needed. */
  async operatorUser(): Promise<{ browser: Browser; userId: string; address: string }> {
    const address = this.newAddress();
    const userId = await addPerson(this.harness, { email: address, name: 'Bo' });
    const browser = this.browser();
    const answer = await browser.post('/api/auth/login', { email: address, password: PASSWORD });
    if (answer.status !== 200) throw new Error(`sign-in: ${answer.status} ${answer.text}`);
    return { browser, address, userId };
  }

  async rows(text: string, values: readonly unknown[] = []): Promise<Json[]> {
    const client = new Client(this.harness.databaseUrl);
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows as Json[];
    } finally {
      await client.end();
    }
  }

  async close(): Promise<void> {
    await this.harness.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const SECRET = 'test-secret-test-secret-test-secret';

/** The parts of signing in, beside the running gateway's own. */
export async function openParts(town: Town, verify: Passwords['verify'] = verifyPassword): Promise<OpenParts> {
  const database = openDatabase(town.harness.databaseUrl, silentLogger);
  const notices = await openNotices(town.harness.databaseUrl, silentLogger);
  const parts = createSignInParts({
    database,
    notices,
    clock: town.clock,
    mailer: { send: () => Promise.resolve() },
    passwords: { hash: hashPassword, verify },
    secret: createRootSecret(SECRET, [SECRET], () => 0),
    siteUrl: () => town.harness.url,
    oauth: { github: null, google: null, oidc: null },
    outbound: createOutbound({ allowCidrs: ['127.0.0.0/8'] }),
    allowHttp: true,
    logger: silentLogger,
  });
  return {
    ...parts,
    async close() {
      await notices.close();
      await database.close();
    },
  };
}

export type OpenParts = SignInParts & Readonly<{ close(): Promise<void> }>;

export async function openTown(options: HarnessOptions = {}): Promise<Town> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-signin-'));
  const clock = new ShiftedClock();
  const env = { TOLLGATE_DATA_DIR: folder, ...options.env };
  const harness = await startHarness({ ...options, env, start: { clock, ...options.start } });
  return new Town({ harness, clock, folder });
}
