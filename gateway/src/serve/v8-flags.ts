// How V8 and Node manage memory in a process that serves calls. Young objects have room for some hundred calls, because
// nearly all of a call's are dead before it is full, and no more than that, because memory that is in the processor's
// caches is faster; compiled code is kept through a quiet hour, because compiling it again would make the first calls
// several times slower; a heap that was quiet does not shrink, because long prompts after it would be collected around
// the clock; and Node's own code lies in large pages, where the system has them.

import { setFlagsFromString } from 'node:v8';

const KEEP_CODE = '--no-flush-bytecode';

/** Most are read only when a process starts, so they are passed to new processes. */
export const NODE_FLAGS: readonly string[] = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  KEEP_CODE,
  '--no-memory-reducer',
  '--use-largepages=silent',
];

const nameOf = (flag: string): string => flag.split('=')[0] ?? flag;

/** The flags for a child of a process that was started with `given`: what the operator has chosen stays. */
export function nodeFlags(given: readonly string[]): readonly string[] {
  const names = new Set(given.map(nameOf));
  return [...given, ...NODE_FLAGS.filter((flag) => !names.has(nameOf(flag)))];
}

/** For the current process. */
export function keepCode(): void {
  setFlagsFromString(KEEP_CODE);
}
