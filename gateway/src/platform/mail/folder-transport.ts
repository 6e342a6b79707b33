// Mail as `.eml` files, for machines without a mail server. A file appears complete or not at all, and only its owner
// may read it: what is in it can reset a password.

import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { MailTransport } from './mailer.ts';
import { composeMessage } from './message.ts';

export function createFolderTransport(folder: string, sender: () => string): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    async deliver(mail) {
      const { message } = await composer.sendMail(composeMessage(mail, sender()));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Names sort by time, so that the newest mail is the last one listed.
      const name = `${new Date(mail.createdAtMs).toISOString().replaceAll(':', '-')}-${mail.id}.eml`;
      await writeWhole(folder, name, message as Buffer);
    },
    close: () => composer.close(),
  };
}

async function writeWhole(folder: string, name: string, content: Buffer): Promise<void> {
  const temporaryPath = join(folder, `.${name}.${process.pid}`);
  const file = await open(temporaryPath, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporaryPath, join(folder, name));
}
