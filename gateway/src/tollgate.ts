// Starts the one file that the build makes of the gateway, `tollgate.cjs` beside this, from code that V8 has compiled
// before. The first process of a build that ends in order leaves that code in a file; where the folder is read-only
// there is none, and a start takes longer. Packages that few gateways need are imported from here, because code from
// such a file cannot.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

type Program = (require: NodeJS.Require, programUrl: string, importLate: (name: string) => Promise<unknown>) => void;

const file = fileURLToPath(new URL('tollgate.cjs', import.meta.url));
// The bundler writes nothing beyond ASCII, and text of one byte a letter is read and kept at half the cost.
const source = readFileSync(file, 'latin1');

/**
 * The program's own hash is its first line; the tag is of V8's version and flags. V8 compares no more than the length.
 */
const codeFile = `${file}.${source.slice(3, source.indexOf('\n'))}.${cachedDataVersionTag()}.code`;

function readCode(): Buffer | undefined {
  try {
    return readFileSync(codeFile);
  } catch {
    return undefined;
  }
}

/**
 * At the end, when nobody waits: it takes a tenth of a second. A process that could not start has compiled too little.
 */
function keepCode(exitCode: number): void {
  if (exitCode !== 0) return;
  const written = `${codeFile}.${process.pid}`;
  try {
    writeFileSync(written, script.createCachedData());
    renameSync(written, codeFile);
  } catch {
    // The folder is read-only, or the disk is full: the next start compiles again.
  }
}

const cachedData = readCode();
const script = new Script(source, cachedData === undefined ? { filename: file } : { filename: file, cachedData });
if (cachedData === undefined || script.cachedDataRejected === true) process.once('exit', keepCode);
const program = script.runInThisContext() as Program;
program(createRequire(import.meta.url), import.meta.url, (name) => import(name));
