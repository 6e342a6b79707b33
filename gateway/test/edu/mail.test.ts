// The code on its way: over SMTP where a server is set, else as a file in the outbox; and late where the server is
// away.

import { readdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EduBed, newEmail, openEduBed } from './campus.ts';

const received: { to: string[]; text: string }[] = [];
let isAway = false;
let server: SMTPServer;
let bed: EduBed;

beforeAll(async () => {
  server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onMailFrom: (_address, _session, callback) => callback(isAway ? new Error('away') : null),
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, text: Buffer.concat(chunks).toString() });
        callback();
      });
    },
  });
  const port = await new Promise<number>((resolve) => {
    const listening = server.listen(0, '127.0.0.1', () => resolve((listening.address() as AddressInfo).port));
  });
  bed = await openEduBed({ env: { SMTP_URL: `smtp://127.0.0.1:${port}` } });
});

afterAll(async () => {
  await bed.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

const mailTo = (email: string) => received.find(({ to }) => to.includes(email));

test('EDU-05 the code reaches a mail server, to the student alone, and opens a session', async () => {
  const campus = await bed.campus();
  const email = newEmail();
  expect((await bed.requestCode(campus.key, email.toUpperCase())).status).toBe(200);
  await expect.poll(() => mailTo(email)?.to).toEqual([email]);
  const text = mailTo(email)?.text ?? '';
  expect(text).toContain('Subject: Your Tollgate code');
  const code = /Your code: (\d{6})/.exec(text)?.[1] ?? '';
  expect((await bed.verify(campus.key, email, code)).status).toBe(200);
  expect(await readdir(bed.town.outbox).catch(() => [])).toEqual([]);
});

test('EDU-01 a mail server that is away changes no answer, and the mail comes when it is back', async () => {
  const campus = await bed.campus();
  const email = newEmail();
  isAway = true;
  expect((await bed.requestCode(campus.key, email)).status).toBe(200);
  const attempts = async () => (await bed.town.rows("select attempts from mail_outbox where state = 'waiting'"))[0];
  await expect.poll(attempts).toEqual({ attempts: 1 });
  isAway = false;
  bed.clock.move(30_000);
  await expect.poll(() => mailTo(email)?.to).toEqual([email]);
});
