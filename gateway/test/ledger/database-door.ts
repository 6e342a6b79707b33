// A door in front of the database server that a test can shut. Shut, it drops every connection and refuses new ones,
// like a server that is away; stalled, it swallows what is sent, like a broken network; mute, it lets statements in and
// no answers out; frozen, it keeps everything until it thaws, like a server that hangs for a while.

import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { Client } from 'pg';

export type DatabaseDoor = Readonly<{
  url: string;
  shut(): Promise<void>;
  open(): Promise<void>;
  stall(): void;
  mute(): void;
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}>;

export async function openDoor(serverUrl: string): Promise<DatabaseDoor> {
  const { host, port, database, user, password } = new Client({ connectionString: serverUrl });
  const target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const sockets = new Set<Socket>();
  let isStalled = false;
  let isMute = false;
  let isFrozen = false;
  let server: Server;
  let listeningPort = 0;

  function join(client: Socket): void {
    const upstream = dial(target as { host: string; port: number });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes) => isStalled || upstream.write(bytes));
    upstream.on('data', (bytes) => isStalled || isMute || client.write(bytes));
    if (isFrozen) for (const socket of [client, upstream]) socket.pause();
  }

  async function open(): Promise<void> {
    isStalled = false;
    isMute = false;
    isFrozen = false;
    server = createServer(join);
    await new Promise<void>((resolve) => server.listen(listeningPort, '127.0.0.1', resolve));
    listeningPort = (server.address() as { port: number }).port;
  }

  async function shut(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  await open();
  const login = password === null ? user : `${user}:${password}`;
  return {
    url: `postgres://${login}@127.0.0.1:${listeningPort}/${database}`,
    shut,
    open,
    stall() {
      isStalled = true;
    },
    mute() {
      isMute = true;
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    close: shut,
  };
}
