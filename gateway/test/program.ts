// The gateway that tests start as a process: the one file that is shipped.

import { fileURLToPath } from 'node:url';

export const gatewayProgram = fileURLToPath(new URL('../dist/tollgate.js', import.meta.url));

/**
 * Where a gateway says that it serves; null before. Only its own words tell: what answers on a port that was free a
 * moment ago may be the gateway of another test, which took it while this one started.
 */
export const servedAddress = (output: string): string | null =>
  /^Tollgate is serving on (\S+)/m.exec(output)?.[1] ?? null;
