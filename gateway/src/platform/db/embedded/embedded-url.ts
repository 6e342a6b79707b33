// The embedded server as a URL for the driver. It states everything that the driver would otherwise take from the
// environment (port, TLS).

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
