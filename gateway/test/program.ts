// The gateway that tests start as a process: the one file that is shipped.

import { fileURLToPath } from 'node:url';

export const gatewayProgram = fileURLToPath(new URL('../dist/tollgate.js', import.meta.url));
