// All connections of a server. Each begins as a direct one, and Node's server gets those that turn out to be anything
// else: its listener for new connections is called for them, with what has been read put back into the socket.

import type { Server, Socket } from 'node:net';
import { Roster } from '../../platform/roster.ts';
import { bodyBytesMax } from '../body.ts';
import type { RouteRow } from '../exchange.ts';
import { type ConnectionTimeouts, DirectConnection, type DirectConnectionOwner } from './direct-connection.ts';
import type { RequestHead } from './request-head.ts';

type DirectOptions = Readonly<{
  timeouts: ConnectionTimeouts;
  /** By the path as it is sent: what is answered here. */
  routes: ReadonlyMap<string, RouteRow>;
  serve: DirectConnectionOwner['serve'];
}>;

/** How often late clients are looked for. */
export const sweepIntervalMs = ({ headersMs }: ConnectionTimeouts): number => Math.min(5_000, headersMs / 2);

export class DirectConnections implements DirectConnectionOwner {
  readonly timeouts: ConnectionTimeouts;
  readonly serve: DirectConnectionOwner['serve'];
  readonly #routes: ReadonlyMap<string, RouteRow>;
  readonly #connections = new Roster<DirectConnection>();
  readonly #sweeping: NodeJS.Timeout;
  readonly #yieldToNode: (socket: Socket) => void;

  constructor(server: Server, { timeouts, routes, serve }: DirectOptions) {
    this.timeouts = timeouts;
    this.serve = serve;
    this.#routes = routes;
    const sweepMs = sweepIntervalMs(timeouts);
    this.#sweeping = setInterval(() => {
      this.#connections.each((connection) => connection.sweep(sweepMs));
    }, sweepMs).unref();
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

  closeIdle(): void {
    this.#connections.each((connection) => {
      if (connection.isIdle) connection.close();
    });
  }

  closeAll(): void {
    clearInterval(this.#sweeping);
    this.#connections.each((connection) => connection.close());
  }
}
