// Turns a request into its answer: route, check the key, gather commands, ask the operation, send. A plain request that
// was answered within the same second is served from memory.

import { randomInt } from 'node:crypto';
import type { Answer } from './answer.ts';
import { type AnswerMemory, createAnswerMemory, memoryKey } from './answer-memory.ts';
import type { Commands } from './command-rules.ts';
import { commandTextIn, travelsPlainly, UnknownCommandError } from './commands.ts';
import { type Form, parseForm } from './form.ts';
import { type CommandGatherer, createCommandGatherer } from './gather-commands.ts';
import { isObject, stringAt } from './json.ts';
import type { Operation } from './operation.ts';
import { openaiProtocol } from './protocols/openai/protocol.ts';
import { createRoutes } from './routes.ts';
import type { Exchange } from './wire/exchange.ts';
import { replaceAnswer } from './wire/replace-answer.ts';
import { sendFaulty } from './wire/send-faulty.ts';
import { prepareAnswer, sendPlain, withSequence } from './wire/send-plain.ts';

const FAULT_HEADER = 'x-simulator-fault';
const SEQUENCE_LENGTH = 12;
// Counting begins at a random number, so that no prompt contains a sequence by chance.
const SEQUENCE_START_MAX = 2 ** 47;

export type Respond = (exchange: Exchange, body: Buffer, scriptText: string | undefined) => void;

type RoutedCall = Readonly<{
  exchange: Exchange;
  operation: Operation;
  body: Buffer;
  params: Readonly<Record<string, string>>;
  sequence: string;
  nowSeconds: number;
  requestId: readonly [string, string];
  /** Commands that came with the path, the header and a script. */
  commandTexts: readonly (string | undefined)[];
  /** Undefined when the answer depends on more than the request. */
  memoryKey: string | undefined;
}>;

function parseBody({ operation, body, exchange }: RoutedCall): Form | undefined {
  if (operation.method === 'GET') return { fields: {}, files: [] };
  const contentType = exchange.record.headers['content-type'];
  const isEither = operation.takesForm === 'either' && /^multipart\//i.test(contentType ?? '');
  if (operation.takesForm === true || isEither) return parseForm(contentType, body);
  try {
    const parsed: unknown = JSON.parse(body.toString());
    return isObject(parsed) ? { fields: parsed, files: [] } : undefined;
  } catch {
    return undefined;
  }
}

function sendAsIs(call: Omit<RoutedCall, 'operation'>, answer: Answer): void {
  sendPlain(call.exchange, prepareAnswer(answer, call.sequence, undefined), call.requestId);
}

function sendAnswer(call: RoutedCall, answer: Answer, commands: Commands, memory: AnswerMemory): void {
  const { exchange, operation, sequence, requestId } = call;
  const { delayMs, ...others } = commands;
  if (travelsPlainly(others) && (delayMs === undefined || answer.kind === 'stream')) {
    const prepared = prepareAnswer(answer, sequence, delayMs);
    if (call.memoryKey !== undefined && answer.isStateful !== true) memory.keep(call.memoryKey, prepared);
    sendPlain(exchange, prepared, requestId);
    return;
  }
  const [name, value] = requestId;
  const identified = { ...answer, headers: { ...answer.headers, [name]: value } };
  sendFaulty(exchange, identified, commands, operation.protocol).catch(() => exchange.response.destroy());
}

function answerCall(call: RoutedCall, gather: CommandGatherer, memory: AnswerMemory): void {
  const { operation, sequence, nowSeconds, exchange } = call;
  const { protocol } = operation;
  const form = parseBody(call);
  if (form === undefined) {
    const kind = operation.takesForm === true ? 'form' : 'JSON';
    sendAsIs(call, protocol.error(400, `We could not parse the ${kind} body of your request.`));
    return;
  }
  const { fields: body, files } = form;
  const modelText = commandTextIn(operation.modelIn?.(call.params) ?? stringAt(body, 'model') ?? '');
  const [pathText, headerText, scriptText] = call.commandTexts;
  try {
    const { commands, isSteady } = gather([pathText, headerText, modelText, scriptText]);
    const { headers } = exchange.record;
    const { params } = call;
    const told = { sequence, createdAtSeconds: nowSeconds, headers, body, files, params, commands };
    const answer = replaceAnswer(() => operation.answer(told), commands, protocol);
    sendAnswer(isSteady ? call : { ...call, memoryKey: undefined }, answer, commands, memory);
  } catch (error) {
    if (!(error instanceof UnknownCommandError)) throw error;
    sendAsIs(call, protocol.error(400, error.message));
  }
}

export function createRespond(defaultText: string): Respond {
  const routes = createRoutes();
  const memory = createAnswerMemory();
  const gather = createCommandGatherer(defaultText);
  let counter = randomInt(SEQUENCE_START_MAX);

  return (exchange, body, scriptText) => {
    const { method, path, headers } = exchange.record;
    const { operation, params, commandText } = routes.find(method, path, headers);
    counter += 1;
    const sequence = counter.toString(36).padStart(SEQUENCE_LENGTH, '0');
    const protocol = operation?.protocol ?? openaiProtocol;
    const headerText = headers[FAULT_HEADER]?.toString();
    // The answer to a GET may depend on its headers.
    const isRepeatable = method === 'POST' && scriptText === undefined && headerText === undefined;
    const call = {
      exchange,
      body,
      params,
      sequence,
      nowSeconds: Math.floor(Date.now() / 1000),
      requestId: [protocol.requestIdHeader, `req_${sequence}`] as const,
      commandTexts: [commandText, headerText, scriptText],
      memoryKey: isRepeatable ? memoryKey(path, body) : undefined,
    };
    if (operation === undefined) {
      return sendAsIs(call, protocol.error(404, `Invalid URL (${method} ${path})`, 'unknown_url'));
    }
    const refusal = operation.isPublic === true ? undefined : protocol.refuseUnauthorized(headers);
    if (refusal !== undefined) return sendAsIs(call, refusal);
    const known = call.memoryKey === undefined ? undefined : memory.find(call.memoryKey, call.nowSeconds);
    if (known !== undefined) return sendPlain(exchange, withSequence(known, sequence), call.requestId);
    answerCall({ ...call, operation }, gather, memory);
  };
}
