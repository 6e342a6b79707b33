// Finds a peer's program: where a variable says, or on the PATH. Nothing is downloaded.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Absent } from './target.ts';

export function findProgram(variable: string, names: readonly string[]): string | Absent {
  const given = process.env[variable];
  if (given !== undefined) return isRunnable(given) ? given : { absent: `${variable} names nothing that can be run` };
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const program = names.map((name) => join(folder, name)).find(isRunnable);
    if (program !== undefined) return program;
  }
  return { absent: `none of ${names.join(', ')} is on the PATH; ${variable} may name it` };
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
