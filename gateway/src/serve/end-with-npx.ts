// npx runs the program under a shell and passes signals to that shell alone, which dies of them and leaves the program
// behind. Whoever was started so looks whether the shell is still there, and ends as if it had been told to.

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
