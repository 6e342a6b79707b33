// How V8 and Node work in a process that serves calls for months. What is set here was measured; the decisions 31 and 32
// say what each flag is for. Some are read only when a process starts, so whoever starts one has to pass them; the
// program sets the others itself.

import { setFlagsFromString } from 'node:v8';

/**
 * Young objects have room for some hundred calls, because nearly all of a call's are dead before it is full, and no more
 * than that, because memory that is in the processor's caches is faster. A heap that was quiet does not shrink, because
 * long prompts would be collected around the clock. Node's own code lies in large pages, where the system has them.
 */
export const NODE_FLAGS: readonly string[] = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  '--no-memory-reducer',
  '--use-largepages=silent',
];

/** What the program sets. */
export const OWN_FLAGS: readonly string[] = [
  // Compiling again after a quiet hour would make the first calls several times slower.
  '--no-flush-bytecode',
  // No object is born old, as V8 would have it for what a call has from its first moment to its last.
  '--no-allocation-site-pretenuring',
  // Everything is marked when there is three times as much as was alive. V8's own measure depends on how fast the first
  // collections were, and stays low for good.
  '--heap-growing-percent=200',
  // What every call runs through is compiled after some thousand calls instead of some ten thousand.
  '--interrupt-budget=16000',
  '--minimum-invocations-after-ic-update=100',
  // Short functions are compiled into those that call them, twice as many as V8 would.
  '--max-inlined-bytecode-size=920',
  '--max-inlined-bytecode-size-cumulative=2000',
];

/** The same however V8 takes it to be spelled, and whether it is switched on or off. */
const nameOf = (flag: string): string => (flag.split('=')[0] ?? flag).replaceAll('_', '-').replace(/^--(?:no-?)?/, '');

/** Those of the flags about which `given` says nothing: what the operator has chosen stays. */
function missing(flags: readonly string[], given: readonly string[]): readonly string[] {
  const names = new Set(given.map(nameOf));
  return flags.filter((flag) => !names.has(nameOf(flag)));
}

/** What Node reads in the variable `NODE_OPTIONS`: apart by spaces, in quotes where a value has some. */
const optionsIn = (variable: string): readonly string[] =>
  (variable.match(/(?:"(?:\\.|[^"\\])*"|[^ "])+/g) ?? []).map((option) => option.replaceAll('"', ''));

/**
 * The flags for a child of this process, which was started with `given`. The child has the same `NODE_OPTIONS`, which
 * yield to the command line, so what they say must not be on it.
 */
export const nodeFlags = (given: readonly string[], nodeOptions: string): readonly string[] => [
  ...given,
  ...missing(NODE_FLAGS, [...given, ...optionsIn(nodeOptions)]),
];

/** For the current process. */
export function setOwnFlags(nodeOptions: string): void {
  for (const flag of missing(OWN_FLAGS, [...process.execArgv, ...optionsIn(nodeOptions)])) setFlagsFromString(flag);
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
