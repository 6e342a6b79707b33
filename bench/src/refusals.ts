// `npm run bench:refusals -- --calls 100000`: what a refusal costs the gateway's processor when it has more to do than
// it can, beside the least that Node needs for an answer of the same length. Work is counted, in microseconds of the
// processor for each refusal, so that other work on the machine counts for little.

import { type ChildProcess, fork } from 'node:child_process';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createHttpServer } from '../../gateway/src/http/server.ts';
import { silentLogger } from '../../gateway/src/platform/logger.ts';
import { createMetrics } from '../../gateway/src/platform/metrics.ts';

const CONNECTIONS = 64;
const WARM_UP_CALLS = 20_000;
const PATH = '/v1/chat/completions';

type Kind = 'tollgate' | 'bare';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '100000' },
    kilobytes: { type: 'string', default: '1' },
    serve: { type: 'string' },
  },
});

async function startServer(kind: Kind): Promise<number> {
  if (kind === 'tollgate') {
    const handle = (): void => {
      throw new Error('nothing is taken');
    };
    const load = { refuses: () => true, isOverloaded: true };
    const routes = [{ method: 'POST', path: PATH, access: 'model', handle }] as const;
    const onFinished = createMetrics().requestFinished;
    const server = createHttpServer({ routes, logger: silentLogger, load, onFinished });
    return (await server.listen(0, '127.0.0.1')).port;
  }
  const body = 'x'.repeat(130);
  const server = createServer((_, response) => void response.writeHead(503, ['Content-Length', '130']).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/**
 * In a process of its own: it says where it listens, and answers every message with the processor's time until then.
 */
async function serve(kind: Kind): Promise<void> {
  process.send?.(await startServer(kind));
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.on('disconnect', () => process.exit());
}

const heard = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => child.once('message', (value) => resolve(Number(value))));

function processorUs(child: ChildProcess): Promise<number> {
  const answer = heard(child);
  child.send('how much?');
  return answer;
}

/** One call after the other on each connection, until all have been answered. */
function callAll(port: number, calls: number): Promise<void> {
  const body = JSON.stringify({ model: 'a/b', messages: [{ role: 'user', content: 'x'.repeat(bodyBytes()) }] });
  const head = `POST ${PATH} HTTP/1.1\r\nHost: gateway.example\r\nAuthorization: Bearer sk-tg-0123456789\r\nContent-Type: application/json\r\nUser-Agent: bench\r\nAccept: */*\r\nContent-Length: ${body.length}\r\n\r\n`;
  const bytes = Buffer.from(head + body);
  let sent = 0;
  const client = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      const next = (): void => {
        if (sent >= calls) {
          socket.destroy();
          resolve();
          return;
        }
        sent += 1;
        socket.write(bytes);
      };
      socket.on('connect', next);
      socket.on('data', (chunk: Buffer) => {
        if (chunk.subarray(0, 12).toString('latin1') === 'HTTP/1.1 503') next();
        else reject(new Error(chunk.toString('latin1')));
      });
      socket.on('error', reject);
      socket.on('close', resolve);
    });
  return Promise.all(Array.from({ length: CONNECTIONS }, client)).then(() => {});
}

const bodyBytes = (): number => Number(values.kilobytes) * 1_000;

async function measure(kind: Kind): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), ['--serve', kind], { execArgv: process.execArgv });
  const port = await heard(child);
  await callAll(port, WARM_UP_CALLS);
  const beforeUs = await processorUs(child);
  const calls = Number(values.calls);
  await callAll(port, calls);
  const spentUs = (await processorUs(child)) - beforeUs;
  child.disconnect();
  return spentUs / calls;
}

if (values.serve === undefined) {
  for (const kind of ['bare', 'tollgate'] as const) {
    console.log(`${kind}: ${(await measure(kind)).toFixed(1)} µs of the processor for each refusal`);
  }
} else {
  await serve(values.serve as Kind);
}
