// Installs a Debian package where that is allowed: as root, on Debian or a derivative. Elsewhere it does nothing, and
// the caller says what is missing.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export function installWithApt(packageName) {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return;
  console.log(`${packageName} is not installed: trying apt-get install ${packageName}.`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const parameters of [['update'], ['install', '-y', '--no-install-recommends', packageName]]) {
    const run = spawnSync('apt-get', ['-qq', ...parameters], { stdio: ['ignore', 2, 2], env: environment });
    if (run.status !== 0) return;
  }
}
