// A collector of traces on loopback: it takes OTLP's JSON form, keeps it, and can be told to refuse, to stay silent or
// to be away.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type RawValue = Readonly<{
  stringValue?: string;
  intValue?: string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: RawValue[] };
}>;
type RawAttribute = Readonly<{ key: string; value: RawValue }>;

type RawSpan = Readonly<{
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: RawAttribute[];
  status?: { code: number };
}>;

type RawBatch = Readonly<{
  resourceSpans: { resource: { attributes: RawAttribute[] }; scopeSpans: { spans: RawSpan[] }[] }[];
}>;

export type CollectedSpan = Omit<RawSpan, 'attributes'> & Readonly<{ attributes: Record<string, unknown> }>;

export class Collector {
  readonly spans: CollectedSpan[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  readonly bodies: string[] = [];
  resource: Record<string, unknown> = {};
  paths: string[] = [];
  status = 200;
  isHanging = false;
  answer = '{}';
  readonly #port: number;
  #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  static async start(): Promise<Collector> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const collector = new Collector(server);
    collector.#serve(server);
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Nobody listens until it is back. */
  async leave(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async comeBack(): Promise<void> {
    this.#server = createServer();
    this.#serve(this.#server);
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
  }

  /** The spans of one trace, the first of them first. */
  trace(traceId: string): CollectedSpan[] {
    const own = this.spans.filter((span) => span.traceId === traceId);
    return own.toSorted((left, right) => Number(BigInt(left.startTimeUnixNano) - BigInt(right.startTimeUnixNano)));
  }

  #serve(server: Server): void {
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      this.headers.push(request.headers);
      this.paths.push(request.url ?? '');
      this.bodies.push(body);
      if (this.isHanging) return;
      if (this.status === 200) this.#take(JSON.parse(body) as RawBatch);
      response.writeHead(this.status, { 'content-type': 'application/json' }).end(this.answer);
    });
  }

  #take({ resourceSpans }: RawBatch): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      this.resource = readAttributes(resource.attributes);
      for (const { spans } of scopeSpans) {
        for (const span of spans) this.spans.push({ ...span, attributes: readAttributes(span.attributes) });
      }
    }
  }
}

const readAttributes = (attributes: readonly RawAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));

function readValue({ stringValue, intValue, doubleValue, boolValue, arrayValue }: RawValue): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(readValue);
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue);
}
