// All connections of a server. Each begins as a direct one, and Node's server gets those that turn out to be anything
// else: its listener for new connections is called for them, with what has been read put back into the socket.

import type { Server, Socket } from 'node:net';
import { Roster } from '../../platform/roster.ts';
import { bodyBytesMax } from '../body.ts';
import type { RouteRow } from '../exchange.ts';
import { type ConnectionOwner, type ConnectionTimeouts, DirectConnection } from './direct-connection.ts';
import type { RequestHead } from './request-head.ts';

type Options = Readonly<{
  timeouts: ConnectionTimeouts;
  /** By the path as it is sent: what is answered here. */
  routes: ReadonlyMap<string, RouteRow>;
  serve: ConnectionOwner['serve'];
}>;

export class DirectConnections implements ConnectionOwner {
  readonly timeouts: ConnectionTimeouts;
  readonly serve: ConnectionOwner['serve'];
  readonly #routes: ReadonlyMap<string, RouteRow>;
  readonly #connections = new Roster<DirectConnection>();
  readonly #yieldToNode: (socket: Socket) => void;

  constructor(server: Server, { timeouts, routes, serve }: Options) {
    this.timeouts = timeouts;
    this.serve = serve;
    this.#routes = routes;
    const listeners = server.listeners('connection');
    this.#yieldToNode = (socket) => {
      for (const listener of listeners) listener.call(server, socket);
    };
    server.removeAllListeners('connection');
    server.on('connection', (socket) => this.#connections.add(new DirectConnection(socket, this)));
  }

  routeOf({ path, bodyBytes }: RequestHead): RouteRow | null {
    const route = this.#routes.get(path);
    return route === undefined || bodyBytes > bodyBytesMax(route) ? null : route;
  }

  onYielded(connection: DirectConnection, socket: Socket): void {
    this.#connections.remove(connection);
    this.#yieldToNode(socket);
  }

  onClosed(connection: DirectConnection): void {
    this.#connections.remove(connection);
  }

  sweep(passedMs: number): void {
    this.#connections.each((connection) => connection.sweep(passedMs));
  }

  closeIdle(): void {
    this.#connections.each((connection) => {
      if (connection.isIdle) connection.close();
    });
  }

  closeAll(): void {
    this.#connections.each((connection) => connection.close());
  }
}
