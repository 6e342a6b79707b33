// How V8 and Node manage memory in a process that serves calls. Young objects have room for some hundred calls, because
// nearly all of a call's are dead before it is full, and no more than that, because memory that is in the processor's
// caches is faster; compiled code is kept through a quiet hour, because compiling it again would make the first calls
// several times slower; no object is born old, as V8 would have it for what a call has from its first moment to its last,
// which then stays until everything is marked; everything is marked only when there is three times as much as was alive, and a heap that was
// quiet does not shrink, because long prompts would be collected around the clock; and Node's own code lies in large
// pages, where the system has them.

import { setFlagsFromString } from 'node:v8';

const KEEP_CODE = '--no-flush-bytecode';
const BORN_YOUNG = '--no-allocation-site-pretenuring';
/** In percent of what is alive. V8's own measure depends on how fast the first collections were, and stays low for good. */
const GROW = '--heap-growing-percent=200';

/** Most are read only when a process starts, so they are passed to new processes. */
export const NODE_FLAGS: readonly string[] = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  KEEP_CODE,
  BORN_YOUNG,
  GROW,
  '--no-memory-reducer',
  '--use-largepages=silent',
];

const nameOf = (flag: string): string => flag.split('=')[0] ?? flag;

/** The flags for a child of a process that was started with `given`: what the operator has chosen stays. */
export function nodeFlags(given: readonly string[]): readonly string[] {
  const names = new Set(given.map(nameOf));
  return [...given, ...NODE_FLAGS.filter((flag) => !names.has(nameOf(flag)))];
}

/** For the current process, where it was started without them. */
export function setMemoryFlags(): void {
  const flags = nodeFlags(process.execArgv);
  for (const flag of [KEEP_CODE, BORN_YOUNG, GROW]) if (flags.includes(flag)) setFlagsFromString(flag);
}

/** The largest block by which the C library of Linux judges how much it should keep. */
const TELLING_BYTES = 32 * 1024 * 1024 - 65_536;

/**
 * For the current process. The C library returns large blocks to the system, and what it takes anew costs more by its
 * pages than a long prompt costs otherwise, until one of this size was freed: then it keeps up to 64 MB. Nobody writes
 * to this one, so it takes no memory.
 */
export function keepFreedMemory(): void {
  Buffer.allocUnsafeSlow(TELLING_BYTES);
}
