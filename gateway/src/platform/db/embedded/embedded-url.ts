// The embedded server as a URL that the driver reads. Everything that the driver would else take from the environment
// (port, TLS) is spelled out.

import { SUPERUSER } from './initialize.ts';
import { PORT } from './settings.ts';

export function embeddedUrl(socketFolder: string, database: string): string {
  const parameters = new URLSearchParams({
    host: socketFolder,
    port: String(PORT),
    user: SUPERUSER,
    sslmode: 'disable',
  });
  return `postgres:///${database}?${parameters}`;
}
