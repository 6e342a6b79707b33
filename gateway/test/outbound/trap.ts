// A listener on this machine that nobody should ever reach. It counts connections, whatever is said over them.

import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';

export type Trap = Readonly<{ port: number; hits(): number; close(): Promise<void> }>;

function listen(server: Server, port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, host, () => resolve(true));
  });
}

/** On all addresses of the machine, of both families where it has both. */
export async function setTrap(): Promise<Trap> {
  let hits = 0;
  const servers = [createServer(), createServer()];
  for (const server of servers) {
    server.on('connection', (socket) => {
      hits += 1;
      socket.destroy();
    });
  }
  const [first, second] = servers as [Server, Server];
  await listen(first, 0, '0.0.0.0');
  const { port } = first.address() as AddressInfo;
  const hasSecond = await listen(second, port, '::1');
  const close = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  return {
    port,
    hits: () => hits,
    close: async () => {
      await close(first);
      if (hasSecond) await close(second);
    },
  };
}
