// For development alone: the server that Vite runs passes every call on to a gateway, and holds each answer against the
// schemas that the gateway publishes. What differs is told in the terminal and laid over the page. It runs beside the
// browser and not in it, so that nothing of it can come into the bundle.

import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Plugin, ProxyOptions, ViteDevServer } from 'vite';

type Heard = Readonly<{
  method: string;
  target: string;
  requestText: string | null;
  status: number;
  contentType: string;
  text: string;
}>;
type Contract = Readonly<{ contractProblem: (heard: Heard) => string | null }>;

const CONTRACT = fileURLToPath(new URL('../gateway/test/contract.ts', import.meta.url));

/** Passes what is no page of the console on to the gateway at this address. */
export function contractCheck(gateway: string): Plugin {
  let tell: (heard: Heard) => Promise<void> = async () => {};
  const proxy: ProxyOptions = {
    target: gateway,
    // What is packed could not be read on its way.
    headers: { 'accept-encoding': 'identity' },
    configure: (server) => server.on('proxyRes', (answer, request) => void hear(answer, request).then(tell)),
  };
  return {
    name: 'contract-check',
    apply: 'serve',
    config: () => ({ server: { proxy: { '^/(api|v1|admin)/': proxy } } }),
    configureServer: (server) => {
      tell = async (heard) => report(server, await problemOf(server, heard));
    },
  };
}

async function hear(answer: IncomingMessage, request: IncomingMessage): Promise<Heard> {
  const pieces: Buffer[] = [];
  answer.on('data', (piece: Buffer) => pieces.push(piece));
  await new Promise((resolve) => answer.once('close', resolve));
  return {
    method: request.method ?? '',
    target: request.url ?? '',
    requestText: null,
    status: answer.statusCode ?? 0,
    contentType: answer.headers['content-type'] ?? '',
    text: Buffer.concat(pieces).toString(),
  };
}

/** The contract is read with the first answer, and anew when one of its files has changed. */
async function problemOf(server: ViteDevServer, heard: Heard): Promise<string | null> {
  const { contractProblem } = (await server.ssrLoadModule(CONTRACT)) as Contract;
  return contractProblem(heard);
}

function report(server: ViteDevServer, problem: string | null): void {
  if (problem === null) return;
  server.config.logger.error(problem);
  server.ws.send({ type: 'error', err: { message: problem, stack: '' } });
}
