// The program that starts the one file of the gateway, tried with small files in its place: a process that ends in
// order keeps compiled code, the next one uses it, and it is never used for another program.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gatewayProgram } from '../program.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-code-'));
  copyFileSync(gatewayProgram, join(folder, 'tollgate.mjs'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeProgram(hash: string, statements: string): void {
  writeFileSync(
    join(folder, 'tollgate.cjs'),
    `// ${hash}\n(function (require, programUrl, importLate) {\n${statements}\n})`,
  );
}

function run(...flags: string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, join(folder, 'tollgate.mjs')], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}

const codeFiles = (): readonly string[] => readdirSync(folder).filter((name) => name.includes('.code'));

/** A file that is replaced counts as another one. */
const identityOf = (name: string): number => statSync(join(folder, name)).ino;

test('the first process to end in order keeps its code, and the next one uses it', () => {
  writeProgram('aaaa', "importLate('node:path').then(({ sep }) => console.log('runs', sep));");
  expect(run()).toBe('runs /\n');
  const [name = '', ...others] = codeFiles();
  expect(name).toContain('.aaaa.');
  expect(others).toEqual([]);
  const first = identityOf(name);
  expect(run()).toBe('runs /\n');
  expect(codeFiles()).toEqual([name]);
  expect(identityOf(name)).toBe(first);
});

test('a process that fails keeps nothing', () => {
  writeProgram('aaaa', 'process.exitCode = 1;');
  run();
  expect(codeFiles()).toEqual([]);
});

test('code that cannot be read back is compiled again and replaced', () => {
  writeProgram('aaaa', "console.log('runs');");
  run();
  const [name = ''] = codeFiles();
  writeFileSync(join(folder, name), 'no code at all');
  expect(run()).toBe('runs\n');
  expect(statSync(join(folder, name)).size).toBeGreaterThan('no code at all'.length);
});

test('another program of the same length, and other flags of V8, have code of their own', () => {
  writeProgram('aaaa', "console.log('one');");
  expect(run()).toBe('one\n');
  writeProgram('bbbb', "console.log('two');");
  expect(run()).toBe('two\n');
  expect(run('--no-flush-bytecode')).toBe('two\n');
  expect(codeFiles()).toHaveLength(3);
});
