// The console's static files. Only names that the folder held at the first request are served, so no path can lead
// anywhere else.

import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendBytes } from '../../http/respond.ts';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const HEADERS = [
  'Content-Security-Policy',
  "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'same-origin',
  'Cache-Control',
  'no-cache',
];

export function consoleFile({ consoleFolder }: Readonly<{ consoleFolder: string }>): Handler {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(consoleFolder)) {
    if (CONTENT_TYPES[extname(name)] !== undefined) files.set(name, readFileSync(join(consoleFolder, name)));
  }
  return (exchange) => {
    const name = exchange.params.file ?? 'index.html';
    const body = files.get(name);
    const type = CONTENT_TYPES[extname(name)];
    if (body === undefined || type === undefined) throw new ApiError('http_404', 'There is nothing at this path.');
    sendBytes(exchange, 200, { type, body }, HEADERS);
  };
}
