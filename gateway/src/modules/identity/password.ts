// Passwords are stored as scrypt hashes with their own parameters, so that the cost can be raised later while old
// hashes stay readable. Few are computed at a time: each takes 32 MB and one of the four threads that also write the
// settlement journal.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { HashQueue } from './hash-queue.ts';

const COST = 32_768;
const BLOCK_SIZE = 8;
const PARALLELIZATION = 1;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
type ScryptInput = Readonly<{
  password: string;
  salt: Buffer;
  cost: number;
  blockSize: number;
  parallelization: number;
}>;

/** Comparing and setting have separate queues: a flood of one does not stop the other. */
const comparing = new HashQueue(2);
const setting = new HashQueue(1);

function computeHash({ password, salt, cost, blockSize, parallelization }: ScryptInput): Promise<Buffer> {
  // Node refuses more than 32 MB unless told otherwise, and these parameters need exactly that much.
  const options = { N: cost, r: blockSize, p: parallelization, maxmem: 256 * cost * blockSize };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

export async function hashPassword(password: string, source: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const input = { password, salt, cost: COST, blockSize: BLOCK_SIZE, parallelization: PARALLELIZATION };
  return storedForm(salt, await setting.run(source, () => computeHash(input)));
}

const storedForm = (salt: Buffer, hash: Buffer): string =>
  ['scrypt', COST, BLOCK_SIZE, PARALLELIZATION, salt.toString('base64'), hash.toString('base64')].join('$');

/** The hash of no password that anybody knows. */
const NOBODYS = storedForm(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));

/** Null where there is no password: the comparison then takes as long, and fails. */
export async function verifyPassword(password: string, stored: string | null, source: string): Promise<boolean> {
  const [scheme, cost, blockSize, parallelization, salt, expected] = (stored ?? NOBODYS).split('$');
  if (scheme !== 'scrypt' || salt === undefined || expected === undefined) return false;
  const input = {
    password,
    salt: Buffer.from(salt, 'base64'),
    cost: Number(cost),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
  };
  const hash = await comparing.run(source, () => computeHash(input));
  const expectedHash = Buffer.from(expected, 'base64');
  return expectedHash.length === hash.length && timingSafeEqual(hash, expectedHash);
}
