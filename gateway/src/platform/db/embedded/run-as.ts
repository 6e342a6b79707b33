// PostgreSQL refuses to run as root. A root gateway runs it in a user namespace, where root appears under another
// number yet keeps access to folders that others cannot read; where that is forbidden, it runs as another user.

import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, chown, lchown, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../connection-failure.ts';
import type { Binaries } from './binaries.ts';
import { EmbeddedDatabaseError } from './embedded-database-error.ts';

export type RunAs = Readonly<{
  /** Put before the program and its arguments. */
  prefix: readonly string[];
  /** The user that the child becomes; null when it stays what the gateway is. */
  user: Readonly<{ uid: number; gid: number }> | null;
}>;

type Account = Readonly<{ uid: number; gid: number }>;
type Output = number | 'ignore' | 'pipe';

const AS_SELF: RunAs = { prefix: [], user: null };

export function spawnAs(
  runAs: RunAs,
  input: Readonly<{
    program: string;
    parameters: readonly string[];
    environment: Binaries['environment'];
    output: Output;
  }>,
): ChildProcess {
  const [command = input.program, ...parameters] = [...runAs.prefix, input.program, ...input.parameters];
  return spawn(command, parameters, {
    env: input.environment,
    stdio: ['ignore', input.output, input.output],
    // In a session of its own, so that Ctrl-C in the terminal reaches only the gateway, which then decides the order.
    detached: true,
    cwd: '/',
    ...(runAs.user ?? {}),
  });
}

/** An account that exists, because initdb looks its name up. */
async function findOrdinaryAccount(): Promise<Account> {
  const accounts = new Map<string, Account>();
  for (const line of (await readFile('/etc/passwd', 'utf8')).split('\n')) {
    const [name = '', , uid = '', gid = ''] = line.split(':');
    if (/^\d+$/.test(uid) && /^\d+$/.test(gid) && uid !== '0')
      accounts.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  const account = accounts.get('postgres') ?? accounts.get('nobody') ?? accounts.values().next().value;
  if (account !== undefined) return account;
  throw new EmbeddedDatabaseError(
    'PostgreSQL does not run as root, and this machine has no other account. Start the gateway as an ordinary user ' +
      'or set DATABASE_URL.',
  );
}

function mayUnshare(prefix: readonly string[], environment: Binaries['environment']): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawnAs({ prefix, user: null }, { program: 'true', parameters: [], environment, output: 'ignore' });
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}

async function ownerOf(path: string): Promise<Account | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function giveAway(folder: string, { uid, gid }: Account): Promise<void> {
  await chown(folder, uid, gid);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid);
  }
}

/**
 * Decides for this cluster; the ownership of the files is changed accordingly, so that they can be opened whatever was
 * decided before.
 */
export async function chooseRunAs(
  input: Readonly<{ dataFolder: string; cluster: string; environment: Binaries['environment'] }>,
): Promise<RunAs> {
  if (process.getuid?.() !== 0) return AS_SELF;
  const clusterOwner = await ownerOf(input.cluster);
  const owner = clusterOwner ?? (await stat(input.dataFolder));
  if (owner.uid !== 0) return { prefix: [], user: { uid: owner.uid, gid: owner.gid } };

  const account = await findOrdinaryAccount();
  const prefix = ['unshare', '--user', `--map-user=${account.uid}`];
  if (await mayUnshare(prefix, input.environment)) return { prefix, user: null };

  if (clusterOwner !== null) await giveAway(input.cluster, account);
  // The other user must be able to enter its own folder through this one; the other files here have modes of their own.
  await chmod(input.dataFolder, (await stat(input.dataFolder)).mode | 0o001);
  return { prefix: [], user: account };
}
