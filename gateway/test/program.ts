// The gateway that tests start as a process: the compiled one, which a run of all tests has put into one file because that
// loads in a third of the time. What is about starting itself uses what is shipped, `dist/main.js`.

import { fileURLToPath } from 'node:url';

export const PROGRAM_VARIABLE = 'TOLLGATE_TEST_PROGRAM';

export const gatewayProgram = (): string =>
  process.env[PROGRAM_VARIABLE] ?? fileURLToPath(new URL('../dist/main.js', import.meta.url));
