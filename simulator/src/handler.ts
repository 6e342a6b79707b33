// What happens to every request before it is answered: it is recorded, its body is read, and a script may take it over.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createControl } from './control.ts';
import { type Recorder, RequestRecord } from './recorder.ts';
import { createRespond } from './respond.ts';
import type { Responder, Scripts } from './scripts.ts';
import type { Exchange } from './wire/exchange.ts';

const BODY_BYTES_MAX = 128 * 1024 * 1024;

export type HandlerParts = Readonly<{ recorder: Recorder; scripts: Scripts; defaultText: string }>;

function readBody(request: IncomingMessage, whenComplete: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => {
    const [only] = chunks;
    whenComplete(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, length));
  });
}

// One odd request must not end a simulator that others use; its sender is told what went wrong.
function answerMistake(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500).end(`The simulator made a mistake: ${String(error)}\n`);
}

export function createHandler(parts: HandlerParts): (request: IncomingMessage, response: ServerResponse) => void {
  const { recorder, scripts } = parts;
  const control = createControl(recorder, scripts);
  const respond = createRespond(parts.defaultText);

  const runScript = async (responder: Responder, exchange: Exchange, body: Buffer): Promise<void> => {
    const commands = await responder(exchange.record, exchange.response);
    if (commands !== undefined) respond(exchange, body, commands);
  };

  const answer = (exchange: Exchange, body: Buffer): void => {
    const own = control.answer(exchange.record.method, exchange.record.path, body);
    if (own !== undefined) {
      exchange.response.writeHead(own.status, own.headers).end(own.body);
      return;
    }
    const script = scripts.isEmpty() ? undefined : scripts.take(exchange.record);
    if (typeof script === 'function') {
      runScript(script, exchange, body).catch((error: unknown) => answerMistake(exchange.response, error));
      return;
    }
    respond(exchange, body, script);
  };

  return (request, response) => {
    const record = new RequestRecord(request);
    if (!record.path.startsWith('/simulator/')) recorder.add(record);
    response.once('close', () => recorder.closed(record, response.writableFinished));
    readBody(request, (body) => {
      recorder.bodyArrived(record, body);
      try {
        answer({ request, response, record }, body);
      } catch (error) {
        answerMistake(response, error);
      }
    });
  };
}
