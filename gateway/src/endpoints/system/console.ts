// The console's static files, read into memory when the gateway starts. Only names that the folder had then are served,
// so no path can lead elsewhere; every other address below /console is a page of the console itself.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { type HeaderList, sendBytes, sendEmpty } from '../../http/respond.ts';
import { takesGzip } from '../../http/zip-json.ts';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Generated pictures and speech are shown from addresses that the page makes, hence blob: and data:. */
const POLICY = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

const HEADERS: HeaderList = [
  'Content-Security-Policy',
  POLICY,
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'same-origin',
  'Vary',
  'Accept-Encoding',
];

/** The build names these by their content, so a name never changes its meaning. */
const HASHED_FOLDER = 'assets/';

type ConsoleFile = Readonly<{ type: string; plain: Buffer; zipped(): Promise<Buffer>; headers: HeaderList }>;

const zip = promisify(gzip);

export function consoleFile({ consoleFolder }: Readonly<{ consoleFolder: string }>): Handler {
  const files = readFiles(consoleFolder);
  return (exchange) => {
    const name = exchange.params['*'] ?? '';
    const file = files.get(name) ?? (name.startsWith(HASHED_FOLDER) ? undefined : files.get('index.html'));
    if (file === undefined) throw new ApiError('http_404', 'There is nothing at this path.');
    return sendFile(exchange, file);
  };
}

/** One page with its own address. Its other files are below /console. */
export function consolePage({ consoleFolder }: Readonly<{ consoleFolder: string }>, name: string): Handler {
  const file = existsSync(consoleFolder) ? readFile(consoleFolder, name) : undefined;
  return (exchange) => {
    if (file === undefined) throw new ApiError('http_404', 'There is nothing at this path.');
    return sendFile(exchange, file);
  };
}

export const redirectToConsole: Handler = (exchange) => sendEmpty(exchange, 302, ['Location', '/console/']);

async function sendFile(exchange: Exchange, { type, plain, zipped, headers }: ConsoleFile): Promise<void> {
  if (takesGzip(exchange.request))
    sendBytes(exchange, 200, { type, body: await zipped() }, [...headers, 'Content-Encoding', 'gzip']);
  else sendBytes(exchange, 200, { type, body: plain }, headers);
}

function readFiles(folder: string): ReadonlyMap<string, ConsoleFile> {
  const files = new Map<string, ConsoleFile>();
  // A gateway without its console still serves the API.
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const name = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/');
    const file = readFile(folder, name);
    if (file !== undefined) files.set(name, file);
  }
  return files;
}

/** Undefined for a missing file, or one of a kind that the console does not use. */
function readFile(folder: string, name: string): ConsoleFile | undefined {
  const type = CONTENT_TYPES[extname(name)];
  const path = join(folder, name);
  if (type === undefined || !existsSync(path)) return undefined;
  const caching = name.startsWith(HASHED_FOLDER) ? 'public, max-age=31536000, immutable' : 'no-cache';
  const plain = readFileSync(path);
  // Compressed at the first request: doing all of them at the start took longer than everything else.
  let zipped: Promise<Buffer> | null = null;
  const zipOnce = (): Promise<Buffer> => {
    zipped ??= zip(plain, { level: constants.Z_BEST_COMPRESSION });
    return zipped;
  };
  return { type, plain, zipped: zipOnce, headers: [...HEADERS, 'Cache-Control', caching] };
}
