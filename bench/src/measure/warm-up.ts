// What a target does before anything of it is looked at closely: the first calls of a process are compiled while they
// run, and would count as what every call takes.

import { runCleanly } from '../load/generator.ts';
import { BURST, type Target } from '../targets/target.ts';
import type { Bench } from './bench.ts';

/** Enough to compile the code, too little to grow a heap in which a thousand streams would not show. */
export async function warmUpGently(bench: Bench, target: Target): Promise<void> {
  for (const mode of ['whole', BURST] as const) {
    await runCleanly(bench.generator, {
      port: target.port,
      requests: target.requests(mode),
      connections: 4,
      durationMs: bench.settings.warmUpMs,
    });
  }
}
