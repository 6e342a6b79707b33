// Mails reach a real SMTP server or a folder; problems on the way delay a mail and fail no request.

import { readdir, readFile, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMailQueue, type MailQueue } from '../../src/modules/mail/mail-queue.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { type LogFields, type Logger, silentLogger } from '../../src/platform/logger.ts';
import { createMailTransport } from '../../src/platform/mail/create-transport.ts';
import type { MailTransport } from '../../src/platform/mail/mailer.ts';
import { openTown, ShiftedClock, type Town } from './people.ts';

type Received = Readonly<{ from: string; to: string[]; text: string }>;

class MailServer {
  readonly received: Received[] = [];
  /** What the server says to a recipient; null: welcome. */
  refusal: Readonly<{ code: number; words: string }> | null = null;
  readonly #server: SMTPServer;

  constructor() {
    this.#server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      authOptional: true,
      onAuth: (auth, _session, callback) => {
        if (auth.username === 'gate' && auth.password === 'smtp-secret') callback(null, { user: 'gate' });
        else callback(new Error('no'));
      },
      onRcptTo: (_address, _session, callback) => {
        if (this.refusal === null) callback();
        else callback(Object.assign(new Error(this.refusal.words), { responseCode: this.refusal.code }));
      },
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom === false ? '' : mailFrom.address;
          this.received.push({
            from,
            to: rcptTo.map(({ address }) => address),
            text: Buffer.concat(chunks).toString(),
          });
          callback();
        });
      },
    });
  }

  listen(): Promise<string> {
    return new Promise((resolve) => {
      const server = this.#server.listen(0, '127.0.0.1', () => {
        resolve(`smtp://gate:smtp-secret@127.0.0.1:${(server.address() as AddressInfo).port}`);
      });
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

let mailServer: MailServer;
let smtpUrl: string;
let town: Town;

beforeAll(async () => {
  mailServer = new MailServer();
  smtpUrl = await mailServer.listen();
  town = await openTown({ env: { SMTP_URL: smtpUrl, TOLLGATE_MAIL_FROM: 'The Gate <gate@example.test>' } });
});

afterAll(async () => {
  await town.close();
  await mailServer.close();
});

test('a sign-up s mail reaches the SMTP server, from the sender that was set, to the one address', async () => {
  const address = town.newAddress();
  const name = 'Ann\u2028Bcc: victim@example.test';
  const answer = await town.browser().post('/api/auth/signup', { email: address, name });
  expect(answer.status).toBe(202);
  await expect.poll(() => mailServer.received.filter(({ to }) => to.includes(address)).length).toBe(1);
  const [mail] = mailServer.received.filter(({ to }) => to.includes(address));
  expect(mail).toMatchObject({ from: 'gate@example.test', to: [address] });
  expect(mail?.text).toContain('From: The Gate <gate@example.test>');
  // The link is on a line of its own, unbroken; nothing that was typed into the form is in the mail.
  expect(mail?.text).toMatch(new RegExp(`\\r\\n${town.harness.url}/console/verify-email#token=[\\w-]{22}\\r\\n`));
  expect(mail?.text).not.toContain('victim');
  await expect(readdir(town.outbox)).rejects.toThrow('ENOENT');
  // The server has a mail a moment before the queue knows it; until then another process would send it again.
  await expect.poll(() => town.rows("select id from mail_outbox where state = 'waiting'")).toEqual([]);
});

describe('the queue', () => {
  const clock = new ShiftedClock();
  const lines: string[] = [];
  const keep = (fields: LogFields, words: string): void => void lines.push(JSON.stringify([fields, words]));
  const logger: Logger = { ...silentLogger, warn: keep, error: keep };
  let database: Database;
  let transport: MailTransport;
  let queue: MailQueue;

  beforeAll(() => {
    database = openDatabase(town.harness.databaseUrl, silentLogger);
    transport = createMailTransport({ smtpUrl, outboxFolder: '', from: null, siteUrl: () => 'https://gate.example' });
    queue = createMailQueue({ database, transport, sealKey: Buffer.alloc(32, 7), clock, logger });
  });

  afterAll(async () => {
    transport.close();
    await database.close();
  });

  const received = (address: string) => mailServer.received.filter(({ to }) => to.includes(address));
  const rowsOf = (address: string) =>
    town.rows('select state, attempts, content from mail_outbox where recipient = $1', [address]);
  /** Far from now, so that the running gateway's own job does not take what these tests send. */
  const enqueue = async (mail: { to: string; subject: string; text: string }): Promise<void> => {
    clock.move(60_000_000_000);
    await queue.send(mail);
  };

  test('a header takes neither a line break nor a second recipient', async () => {
    const to = town.newAddress();
    await enqueue({ to, subject: 'Hello\r\nBcc: victim@example.test\r\n\r\nBody', text: 'Text.' });
    expect(await queue.sendDue()).toBe(1);
    const [mail] = received(to);
    expect(mail?.to).toEqual([to]);
    expect(mail?.text).toContain('Subject: Hello Bcc: victim@example.test Body\r\n');
    expect(mail?.text).not.toMatch(/^Bcc:/m);
    const bad = ['a@b.test, c@d.test', 'a@b.test\r\nBcc: c@d.test', 'A <a@b.test>', 'a@b.test;c@d.test', 'nobody', ''];
    for (const address of bad) {
      await expect(queue.send({ to: address, subject: 'x', text: 'x' }), address).rejects.toThrow('plain address');
    }
  });

  test('unusual addresses that people have are served', async () => {
    clock.move(60_000_000_000);
    const addresses = ["o'brien+tag@example.test", 'a!#$%&*/=?^_`{|}~b@example.test', 'bücher@bücher.example'];
    for (const to of addresses) await queue.send({ to, subject: 'x', text: 'x' });
    expect(await queue.sendDue()).toBe(3);
    const states = await town.rows('select state from mail_outbox where recipient = any($1)', [addresses]);
    expect(states).toEqual([{ state: 'sent' }, { state: 'sent' }, { state: 'sent' }]);
  });

  test('a mail in a transaction that fails never was', async () => {
    const to = town.newAddress();
    const failing = database.transaction(async (transaction) => {
      await queue.send({ to, subject: 'x', text: 'x' }, transaction);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await rowsOf(to)).toEqual([]);
  });

  test('a server that is busy is asked again later, longer each time', async () => {
    const to = town.newAddress();
    await enqueue({ to, subject: 'Busy', text: 'The secret content.' });
    mailServer.refusal = { code: 451, words: `busy with ${to}` };
    expect(await queue.sendDue()).toBe(1);
    expect(await queue.sendDue()).toBe(0);
    clock.move(15_000);
    expect(await queue.sendDue()).toBe(1);
    clock.move(15_000);
    expect(await queue.sendDue()).toBe(0);
    mailServer.refusal = null;
    clock.move(15_000);
    expect(await queue.sendDue()).toBe(1);
    expect(received(to)).toHaveLength(1);
    expect(await rowsOf(to)).toEqual([{ state: 'sent', attempts: 3, content: null }]);
    expect(lines.join('\n')).not.toContain(to);
    expect(lines.join('\n')).not.toContain('secret');
  });

  test('a recipient whom the server refuses for good is given up, and the content goes', async () => {
    const to = town.newAddress();
    await enqueue({ to, subject: 'x', text: 'x' });
    mailServer.refusal = { code: 550, words: 'no such user' };
    await queue.sendDue();
    mailServer.refusal = null;
    expect(await rowsOf(to)).toEqual([{ state: 'given_up', attempts: 1, content: null }]);
  });

  test('a process that dies while sending loses nothing: the mail falls due again', async () => {
    const to = town.newAddress();
    await enqueue({ to, subject: 'x', text: 'The secret content.' });
    const stored = await rowsOf(to);
    expect(String(stored[0]?.content)).toMatch(/^sealed:/);
    const hanging: MailTransport = { deliver: () => new Promise(() => {}), close: () => {} };
    const dying = createMailQueue({ database, transport: hanging, sealKey: Buffer.alloc(32, 7), clock, logger });
    void dying.sendDue();
    await expect.poll(async () => (await rowsOf(to))[0]?.attempts).toBe(1);
    expect(await queue.sendDue()).toBe(0);
    clock.move(600_000);
    expect(await queue.sendDue()).toBe(1);
    expect(received(to)).toHaveLength(1);
  });

  test('several processes send each mail once', async () => {
    clock.move(60_000_000_000);
    const addresses = Array.from({ length: 25 }, () => town.newAddress());
    for (const to of addresses) await queue.send({ to, subject: 'x', text: 'x' });
    const others = Array.from({ length: 3 }, () =>
      createMailQueue({ database, transport, sealKey: Buffer.alloc(32, 7), clock, logger }),
    );
    while ((await Promise.all(others.map((other) => other.sendDue()))).some((count) => count > 0));
    for (const to of addresses) expect(received(to), to).toHaveLength(1);
  });

  test('traces of mails are kept for a month', async () => {
    const to = town.newAddress();
    await enqueue({ to, subject: 'x', text: 'x' });
    await queue.sendDue();
    clock.move(29 * 86_400_000);
    await queue.forgetOld();
    expect(await rowsOf(to)).toHaveLength(1);
    clock.move(2 * 86_400_000);
    await queue.forgetOld();
    expect(await rowsOf(to)).toEqual([]);
  });
});

test('without a mail server mails are whole files that only their owner reads', async () => {
  const folder = join(town.folder, 'files');
  const options = { smtpUrl: null, outboxFolder: folder, from: null, siteUrl: () => 'http://127.0.0.1:4100' };
  const transport = createMailTransport(options);
  const mail = { to: 'a@b.test', subject: 'Grüße', text: 'Line.\n', id: 'eml-1', createdAtMs: Date.UTC(2026, 0, 2) };
  await transport.deliver(mail);
  // Sent again after a crash, it is the same file.
  await transport.deliver(mail);
  transport.close();
  const names = await readdir(folder);
  expect(names).toEqual(['2026-01-02T00-00-00.000Z-eml-1.eml']);
  const path = join(folder, names[0] ?? '');
  const text = await readFile(path, 'utf8');
  expect(text).toContain('From: Tollgate <no-reply@localhost>\n');
  expect(text).toContain('Message-ID: <eml-1@localhost>\n');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
