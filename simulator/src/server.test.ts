// The simulator as a test uses it: what it remembers, how it is commanded, how it goes away and comes back.

import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from './server.ts';
import { sendRaw } from './testing/raw-client.ts';

let simulator: Simulator;

beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

const messages = [{ role: 'user', content: 'Hello' }];

function post(body: object, path = '/v1/chat/completions', headers: Record<string, string> = {}): Promise<Response> {
  const all = { authorization: 'Bearer secret', 'anthropic-version': '2023-06-01', ...headers };
  return fetch(simulator.url + path, { method: 'POST', headers: all, body: JSON.stringify(body) });
}

describe('records', () => {
  test('hold what was sent, and that it was answered to the end', async () => {
    const answer = await post({ model: 'm', messages }, '/v1/chat/completions?beta=true', { 'x-trace': 'abc' });
    await answer.text();
    const record = await simulator.waitFor((request) => request.closedAt !== undefined);
    expect(record).toMatchObject({ method: 'POST', path: '/v1/chat/completions?beta=true', isAborted: false });
    expect(record.headers).toMatchObject({ authorization: 'Bearer secret', 'x-trace': 'abc' });
    expect(record.body).toBe(JSON.stringify({ model: 'm', messages }));
    expect(record.json).toEqual({ model: 'm', messages });
    expect(simulator.requests).toHaveLength(1);
    simulator.clearRequests();
    expect(simulator.requests).toHaveLength(0);
  });

  test.each(['sim-stall', 'sim-chunks-500+delay-5', 'sim-stall-after-2', 'sim-endless', 'sim-drip'])(
    'a client that leaves %s is seen to leave, at once',
    async (model) => {
      const leaving = sendRaw({
        port: simulator.port,
        body: { model, messages, stream: true },
        leavesAfter: /^/,
        byteLimit: 50_000,
      });
      await leaving;
      // None of these answers would end by itself before the test does.
      expect(await simulator.waitFor((request) => request.isAborted)).toHaveProperty('closedAt');
    },
  );

  test.each(['sim-reset', 'sim-cut-after-2', 'sim-garbage', 'sim-short-body'])(
    'a fault of ours, %s, is no abort of theirs',
    async (model) => {
      await sendRaw({ port: simulator.port, body: { model, messages, stream: true } });
      const record = await simulator.waitFor((request) => request.closedAt !== undefined);
      expect(record.isAborted).toBe(false);
    },
  );

  test('are bounded', async () => {
    await simulator.close();
    simulator = await startSimulator({ recordLimit: 3 });
    for (const model of ['a', 'b', 'c', 'd', 'e']) await (await post({ model, messages })).text();
    expect(simulator.requests.map((request) => (request.json as { model: string }).model)).toEqual(['c', 'd', 'e']);
  });

  test('waiting in vain ends with an error', async () => {
    await expect(simulator.waitFor(() => true, 20)).rejects.toThrow(/20 ms/);
  });
});

describe('scripts', () => {
  test('command the next answers in their order, then are used up', async () => {
    simulator.script('status-503', { times: 2 });
    simulator.script('status-429-retry-after-1');
    const statuses = [];
    for (let sent = 0; sent < 4; sent += 1) statuses.push((await post({ model: 'm', messages })).status);
    expect(statuses).toEqual([503, 503, 429, 200]);
  });

  test('may be for one model or path only', async () => {
    simulator.script('status-500', { model: 'b' });
    simulator.script('status-502', { path: '/messages' });
    expect((await post({ model: 'a', messages })).status).toBe(200);
    expect((await post({ model: 'a', messages, max_tokens: 9 }, '/v1/messages')).status).toBe(502);
    expect((await post({ model: 'b', messages })).status).toBe(500);
    expect((await post({ model: 'b', messages })).status).toBe(200);
  });

  test('may be functions that answer themselves or choose commands', async () => {
    simulator.script((_, response) => {
      response.writeHead(418).end('teapot');
      return undefined;
    });
    simulator.script((request) => (request.body.includes('Hello') ? 'status-409' : undefined));
    expect((await post({ model: 'm', messages })).status).toBe(418);
    expect((await post({ model: 'm', messages })).status).toBe(409);
  });

  test('that throw are told to the client, and the simulator lives on', async () => {
    simulator.script(() => {
      throw new Error('oops');
    });
    const answer = await post({ model: 'm', messages });
    expect([answer.status, await answer.text()]).toEqual([500, 'The simulator made a mistake: Error: oops\n']);
    expect((await post({ model: 'm', messages })).status).toBe(200);
  });

  test('with a mistake fail in the test that wrote them', () => {
    expect(() => simulator.script('flap')).toThrow(/flap/);
  });
});

describe('commands', () => {
  const body = { model: 'm', messages };

  test('come by header, by path, and by default', async () => {
    expect((await post(body, '/v1/chat/completions', { 'x-simulator-fault': 'status-418' })).status).toBe(418);
    expect((await post(body, '/sim-status-503/v1/chat/completions')).status).toBe(503);
    expect((await post(body, '/chat/completions')).status).toBe(200);
    const slow = await startSimulator({ commands: 'status-504+every-2' });
    const answer = await fetch(`${slow.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer k' },
      body: JSON.stringify(body),
    });
    await slow.close();
    expect(answer.status).toBe(504);
  });

  test('with every-N hold for one request in N', async () => {
    const statuses = [];
    for (let sent = 0; sent < 6; sent += 1) {
      statuses.push((await post({ model: 'sim-status-503+every-3', messages })).status);
    }
    expect(statuses).toEqual([503, 200, 200, 503, 200, 200]);
  });
});

describe('the control endpoints', () => {
  test('script and show from another process', async () => {
    const scripted = await post({ commands: 'status-503', times: 1 }, '/simulator/scripts');
    expect(scripted.status).toBe(200);
    expect((await post({ commands: 'flap' }, '/simulator/scripts')).status).toBe(400);
    expect((await post({ model: 'm', messages })).status).toBe(503);
    const shown = await (await fetch(`${simulator.url}/simulator/requests`)).json();
    expect(shown).toMatchObject({
      requests: [{ path: '/v1/chat/completions', body: expect.stringContaining('Hello') }],
    });
  });

  test('a followed redirect is recorded', async () => {
    await post({ model: 'sim-redirect-307', messages });
    expect(simulator.requests.map((request) => request.path)).toEqual(['/v1/chat/completions', '/redirected']);
  });

  test('an unknown path is 404', async () => {
    expect((await post({}, '/v1/nothing')).status).toBe(404);
  });
});

describe('the listener', () => {
  test('F1 refuses while stopped and comes back on the same port', async () => {
    await (await post({ model: 'm', messages })).text();
    await simulator.stopListening();
    expect(simulator.openConnections).toBe(0);
    await expect(post({ model: 'm', messages })).rejects.toThrow();
    await simulator.resumeListening();
    expect((await post({ model: 'm', messages })).status).toBe(200);
  });

  test('counts open connections, and close ends them all', async () => {
    const hanging = Promise.allSettled([
      post({ model: 'sim-stall', messages }),
      post({ model: 'sim-stall', messages }),
    ]);
    await simulator.waitFor(() => simulator.requests.length === 2);
    expect(simulator.openConnections).toBe(2);
    await simulator.close();
    expect(simulator.openConnections).toBe(0);
    for (const outcome of await hanging) expect(outcome.status).toBe('rejected');
  });

  test('a kept connection survives plain streams and answers', async () => {
    const { Agent } = await import('node:http');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const once = (stream: boolean): Promise<string> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: 'Bearer k' };
        const outgoing = httpRequest(
          `${simulator.url}/v1/chat/completions`,
          { method: 'POST', agent, headers },
          (incoming) => {
            let text = '';
            incoming.setEncoding('utf8');
            incoming.on('data', (part) => {
              text += part;
            });
            incoming.on('end', () => resolve(text));
          },
        );
        outgoing.on('error', reject);
        outgoing.end(JSON.stringify({ model: 'm', messages, stream }));
      });
    expect(await once(true)).toMatch(/\[DONE\]\n\n$/);
    expect(await once(false)).toMatch(/"chat\.completion"/);
    expect(await once(true)).toMatch(/\[DONE\]\n\n$/);
    expect(simulator.openConnections).toBe(1);
    agent.destroy();
  });
});
