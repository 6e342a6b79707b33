// npx runs the program under a shell and passes signals only to that shell, which dies and leaves the program running.
// A program that was started so checks whether the shell still exists, and ends when it does not.

import type { Environment } from '../config.ts';

const LOOK_MS = 500;

export function endWithNpx({ npm_command: command }: Environment): void {
  if (command !== 'exec') return;
  const shell = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(looking);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  looking.unref();
}
