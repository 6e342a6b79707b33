// The path of the socket's folder is short, the folder is found again, and a folder that somebody else prepared is
// never used.

import { chmod, lstat, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareSocketFolder, removeSocketFolder, socketFolderFor } from './socket-folder.ts';

const asSelf = { prefix: [], user: null };
let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'tollgate-socket-')));
});

afterEach(() => rm(root, { recursive: true, force: true }));

test('one folder has one name, two have two', () => {
  expect(socketFolderFor('/data/a')).toBe(socketFolderFor('/data/a'));
  expect(socketFolderFor('/data/a')).not.toBe(socketFolderFor('/data/b'));
});

test('it is made private, may be there already, and is removed when it is empty', async () => {
  const folder = join(root, 'socket');
  await prepareSocketFolder(folder, asSelf);
  await prepareSocketFolder(folder, asSelf);
  expect((await lstat(folder)).mode & 0o777).toBe(0o700);
  await removeSocketFolder(folder);
  await removeSocketFolder(folder);
  await expect(lstat(folder)).rejects.toThrow('ENOENT');
});

test('one that is open to others is refused', async () => {
  const folder = join(root, 'socket');
  await prepareSocketFolder(folder, asSelf);
  await chmod(folder, 0o755);
  await expect(prepareSocketFolder(folder, asSelf)).rejects.toThrow('open to others');
});

test('a link is refused, wherever it points', async () => {
  const target = join(root, 'target');
  await prepareSocketFolder(target, asSelf);
  await symlink(target, join(root, 'socket'));
  await expect(prepareSocketFolder(join(root, 'socket'), asSelf)).rejects.toThrow('belongs to someone else');
});
