// How V8 treats memory in a process that serves calls. Young objects get room, because nearly all of a call's are dead
// before the room is full; compiled code is kept through a quiet hour, because compiling it again makes the first calls
// after it several times dearer.

import { setFlagsFromString } from 'node:v8';

const KEEP_CODE = '--no-flush-bytecode';

/** V8 reads the sizes when a process starts and never again, so only whoever starts one can set them. */
export const NODE_FLAGS: readonly string[] = ['--min-semi-space-size=16', '--max-semi-space-size=64', KEEP_CODE];

const nameOf = (flag: string): string => flag.split('=')[0] ?? flag;

/** For a process to be started from one that was started with `given`: what the operator has chosen stays. */
export function nodeFlags(given: readonly string[]): readonly string[] {
  const names = new Set(given.map(nameOf));
  return [...given, ...NODE_FLAGS.filter((flag) => !names.has(nameOf(flag)))];
}

/** For this very process. */
export function keepCode(): void {
  setFlagsFromString(KEEP_CODE);
}
