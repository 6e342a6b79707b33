import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createLogger, createServer as createVite, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contractCheck } from '../contract-check.ts';

/** Answers that a gateway would never give, beside answers that it would. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/api/auth/providers': { providers: ['github', 7] },
  '/api/account/cache': { data: { hits: 1 } },
  '/v1/models/none': { error: { message: 'No such model.', type: 'invalid_request_error', code: 'model_not_found' } },
};

/** The first answer loads the whole contract. */
const LOADING_MS = 300_000;

let gateway: Server;
let vite: ViteDevServer;
const told: string[] = [];

beforeAll(async () => {
  gateway = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(ANSWERS[request.url ?? ''] ?? { providers: [] }));
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const logger = createLogger('silent');
  logger.error = (message) => void told.push(message);
  vite = await createVite({
    configFile: false,
    root: fileURLToPath(new URL('..', import.meta.url)),
    customLogger: logger,
    optimizeDeps: { noDiscovery: true },
    plugins: [contractCheck(address)],
    server: { host: '127.0.0.1', port: 0, watch: null, hmr: false, ws: false },
  });
  await vite.listen();
});

afterAll(async () => {
  await vite?.close();
  gateway?.close();
});

const ask = async (path: string): Promise<unknown> => {
  const { port } = (vite.httpServer as Server).address() as AddressInfo;
  return (await fetch(`http://127.0.0.1:${port}${path}`)).json();
};

test('an answer that is not as the contract says reaches the page and is told', { timeout: LOADING_MS }, async () => {
  expect(await ask('/api/auth/providers')).toEqual(ANSWERS['/api/auth/providers']);
  await expect.poll(() => told, { timeout: LOADING_MS }).toHaveLength(1);
  expect(told[0]).toContain('GET /api/auth/providers answered 200');
});

test('one that is as the contract says is not told', async () => {
  told.length = 0;
  await ask('/api/auth/providers?once=more');
  // The answer that comes after it is reported, so this one has been checked too.
  await ask('/api/account/cache');
  await expect.poll(() => told, { timeout: LOADING_MS }).toHaveLength(1);
  expect(told[0]).toContain('GET /api/account/cache');
});
