// The page for students has an address of its own beside the console, and obeys the policy that it is sent with.

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consoleFile, consolePage } from '../../src/endpoints/system/console.ts';
import { createHttpServer, type HttpServer } from '../../src/http/server.ts';
import { silentLogger } from '../../src/platform/logger.ts';

/** What the build copies as it is. */
const consoleFolder = fileURLToPath(new URL('../../../console/public/', import.meta.url));

let server: HttpServer;
let url: string;

beforeAll(async () => {
  server = createHttpServer({
    logger: silentLogger,
    routes: [
      { method: 'GET', path: '/edu', access: 'public', handle: consolePage({ consoleFolder }, 'edu/index.html') },
      { method: 'GET', path: '/none', access: 'public', handle: consolePage({ consoleFolder }, 'edu/none.html') },
      { method: 'GET', path: '/console/*', access: 'public', handle: consoleFile({ consoleFolder }) },
    ],
  });
  url = `http://127.0.0.1:${(await server.listen(0, '127.0.0.1')).port}`;
});

afterAll(() => server.drain(100));

test('EDU-06 the page and all that it names are served, and nothing of it is inline', async () => {
  const page = await fetch(`${url}/edu`);
  const html = await page.text();
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(html).toContain('<title>Get a session');
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
  const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
  expect(named.sort()).toEqual(['/console/edu/edu.css', '/console/edu/edu.js', '/console/icon.svg']);
  const types = await Promise.all(named.map(async (path) => (await fetch(url + path)).headers.get('content-type')));
  expect(types).toEqual(['text/css; charset=utf-8', 'text/javascript; charset=utf-8', 'image/svg+xml']);
});

test('EDU-06 no other site may frame it, feed it or be called by it', async () => {
  const { headers } = await fetch(`${url}/edu`);
  const policy = headers.get('content-security-policy') ?? '';
  for (const rule of ["default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
    expect(policy).toContain(rule);
  expect(policy).not.toContain('unsafe');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('same-origin');
});

test('a page that was not built is not there', async () => {
  expect((await fetch(`${url}/none`)).status).toBe(404);
});
