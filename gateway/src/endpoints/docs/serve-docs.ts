// GET /openapi.json, GET /docs and what the page needs. All of it is public and made at the first request, and again
// when the catalog has changed, because the examples name its models.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { JSON_TYPE } from '../../canonical/answer.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler, RouteRow } from '../../http/exchange.ts';
import { type HeaderList, sendBytes, sendEmpty } from '../../http/respond.ts';
import { takesGzip } from '../../http/zip-json.ts';
import { type ExampleModelServices, findExampleModel } from './example-models.ts';
import { createDocument } from './openapi.ts';
import { renderPage } from './render-page.ts';

export type DocsServices = ExampleModelServices & Readonly<{ siteUrl(): string }>;

type DocsFile = Readonly<{ type: string; plain: Buffer; zipped: Buffer; headers: HeaderList }>;
type Docs = Readonly<{ json: DocsFile; page: DocsFile }>;

/** The same folder seen from src/ and from dist/. */
const FOLDER = new URL('../../../pages/docs/', import.meta.url);

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  // Requests that the reader makes from the page, with their own key.
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS: HeaderList = ['Content-Security-Policy', POLICY, 'Referrer-Policy', 'same-origin'];
/** Tools on other sites may read the document. */
const JSON_HEADERS: HeaderList = ['Access-Control-Allow-Origin', '*'];

type DocsHandlers = Readonly<{ readOpenApi: Handler; readPage: Handler; readFile: Handler }>;

/** The rows are read late, because the routes of this document are among them. */
export function createDocs(services: DocsServices, rows: () => readonly RouteRow[]): DocsHandlers {
  const files = new Map([
    ['docs.css', docsFile('text/css; charset=utf-8', readFileSync(new URL('docs.css', FOLDER)), [])],
    ...['docs.js', 'try.js'].map((name): [string, DocsFile] => [
      name,
      docsFile('text/javascript; charset=utf-8', readFileSync(new URL(name, FOLDER)), []),
    ]),
  ]);
  let made: Readonly<{ of: unknown; docs: Docs }> | null = null;
  const current = (): Docs => {
    const of = services.catalog.current();
    if (made?.of !== of) made = { of, docs: makeDocs(services, rows()) };
    return made.docs;
  };
  return {
    readOpenApi: (exchange) => sendDocs(exchange, current().json),
    readPage: (exchange) => sendDocs(exchange, current().page),
    readFile: (exchange) => {
      const file = files.get(exchange.params.file ?? '');
      if (file === undefined) throw new ApiError('http_404', 'There is nothing at this path.');
      sendDocs(exchange, file);
    },
  };
}

function makeDocs(services: DocsServices, rows: readonly RouteRow[]): Docs {
  const document = createDocument(rows, {
    siteUrl: services.siteUrl(),
    modelOf: ({ model }) => findExampleModel(services, model ?? 'text'),
  });
  return {
    json: docsFile(JSON_TYPE, Buffer.from(JSON.stringify(document)), JSON_HEADERS),
    page: docsFile('text/html; charset=utf-8', Buffer.from(renderPage(document)), PAGE_HEADERS),
  };
}

function docsFile(type: string, plain: Buffer, headers: HeaderList): DocsFile {
  const tag = `"${createHash('sha256').update(plain).digest('hex').slice(0, 32)}"`;
  return {
    type,
    plain,
    zipped: gzipSync(plain),
    headers: [
      ...headers,
      'ETag',
      tag,
      'Cache-Control',
      'public, max-age=60',
      'Vary',
      'Accept-Encoding',
      'X-Content-Type-Options',
      'nosniff',
    ],
  };
}

function sendDocs(exchange: Exchange, { type, plain, zipped, headers }: DocsFile): void {
  const { 'if-none-match': known = '' } = exchange.request.headers;
  const tag = headers[headers.indexOf('ETag') + 1] ?? '';
  // A proxy that compresses marks the tag as weak; it is the same document.
  if (known.split(',').some((one) => one.trim().replace(/^W\//, '') === tag)) {
    sendEmpty(exchange, 304, headers);
    return;
  }
  if (takesGzip(exchange.request))
    sendBytes(exchange, 200, { type, body: zipped }, [...headers, 'Content-Encoding', 'gzip']);
  else sendBytes(exchange, 200, { type, body: plain }, headers);
}
