// Functions that read bytes of strangers and can be called alone. A target throws when something is wrong, and catches
// what it considers an honest refusal.

import type { JsonObject } from '../../src/canonical/json.ts';
import type { StreamDecoder, StreamPart } from '../../src/canonical/stream-part.ts';
import type { Usage } from '../../src/canonical/usage.ts';
import { UsageError } from '../../src/cli/command.ts';
import { readInvoice } from '../../src/cli/read-invoice.ts';
import { ApiError } from '../../src/errors/api-error.ts';
import { scanJson } from '../../src/http/json-guard.ts';
import { normalizePath } from '../../src/http/target.ts';
import { ConfigDocumentError } from '../../src/modules/catalog/config-problem.ts';
import { parseDocumentText } from '../../src/modules/catalog/parse-document.ts';
import { validateDocument } from '../../src/modules/catalog/validate-document.ts';
import { isAllowedAddress, isAllowListEntry } from '../../src/modules/identity/client-address.ts';
import { normalizeEmail } from '../../src/modules/identity/email.ts';
import { formatCsv } from '../../src/platform/csv.ts';
import { ForbiddenUrlError } from '../../src/platform/outbound/outbound-error.ts';
import { hostOf, parseUrl } from '../../src/platform/outbound/parse-url.ts';
import { createAddressRule } from '../../src/platform/outbound/special-addresses.ts';
import type { DecodedJson } from '../../src/upstreams/conversation-codec.ts';
import { decodeMessage } from '../../src/upstreams/protocols/anthropic/decode-response.ts';
import { createMessageStreamDecoder } from '../../src/upstreams/protocols/anthropic/decode-stream.ts';
import { toAnswer as messageToAnswer } from '../../src/upstreams/protocols/anthropic/to-answer.ts';
import {
  toAnswer as converseToAnswer,
  decodeAnswer as decodeConverse,
} from '../../src/upstreams/protocols/bedrock/decode-response.ts';
import { createConverseStreamDecoder } from '../../src/upstreams/protocols/bedrock/decode-stream.ts';
import {
  toAnswer as cohereToAnswer,
  decodeAnswer as decodeCohere,
} from '../../src/upstreams/protocols/cohere/decode-response.ts';
import { createCohereStreamDecoder } from '../../src/upstreams/protocols/cohere/decode-stream.ts';
import {
  decodeAnswer as decodeGemini,
  readAnswer as geminiToAnswer,
} from '../../src/upstreams/protocols/gemini/decode-response.ts';
import { createGeminiStreamDecoder } from '../../src/upstreams/protocols/gemini/decode-stream.ts';
import { decodeChatResponse } from '../../src/upstreams/protocols/openai/decode-response.ts';
import { createChatStreamDecoder } from '../../src/upstreams/protocols/openai/decode-stream.ts';
import { toAnswer as chatToAnswer } from '../../src/upstreams/protocols/openai/to-answer.ts';
import { decodeResponse } from '../../src/upstreams/protocols/openai-responses/decode-response.ts';
import { createResponseStreamDecoder } from '../../src/upstreams/protocols/openai-responses/decode-stream.ts';
import { toAnswer as responseToAnswer } from '../../src/upstreams/protocols/openai-responses/to-answer.ts';
import { parseCsv } from '../reports/parse-csv.ts';
import { cut, type Random } from './mutate.ts';

export type Target = Readonly<{
  name: string;
  /** The folder of its samples. */
  corpus: string;
  words?: readonly string[];
  /** How often the target is tried compared with the others: 1 by default, less where an input takes very long. */
  weight?: number;
  run(bytes: Buffer, random: Random): void;
}>;

function wrong(what: string): never {
  throw new Error(what);
}

const COUNT_MAX = 2 ** 40;

function checkUsage(usage: Usage | null): void {
  if (usage === null) return;
  for (const count of [usage.promptTokens, usage.completionTokens, usage.cachedTokens, usage.reasoningTokens]) {
    if (!Number.isSafeInteger(count) || count < 0 || count > COUNT_MAX) wrong(`a count of ${count}`);
  }
}

function drain(decoder: StreamDecoder, pieces: readonly Buffer[]): readonly StreamPart[] {
  const parts: StreamPart[] = [];
  for (const piece of pieces) for (const part of decoder.push(piece)) parts.push(part);
  for (const part of decoder.end()) parts.push(part);
  return parts;
}

function checkParts(parts: readonly StreamPart[]): void {
  const last = parts.findIndex(({ type }) => type === 'error' || type === 'done');
  if (last !== -1 && last !== parts.length - 1) wrong(`${parts[last + 1]?.type} after the end`);
  for (const part of parts) if (part.type === 'usage') checkUsage(part.usage);
}

/** Ids that an upstream left out are random, and are not compared. */
function isAlike(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || left === null || typeof right !== 'object' || right === null)
    return Object.is(left, right);
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [one, other] = [left as Record<string, unknown>, right as Record<string, unknown>];
  for (const name of Object.keys(other)) if (!(name in one) && other[name] !== undefined) return false;
  for (const name of Object.keys(one)) if (name !== 'id' && !isAlike(one[name], other[name])) return false;
  return true;
}

const stream = (name: string, create: () => StreamDecoder): Target => ({
  name: `${name} stream`,
  corpus: `${name}-stream`,
  words: ['data: ', 'event: ', 'data: [DONE]\n\n', ':', 'id: 1\n', 'retry: 1\n', 'data:\n'],
  run(bytes, random) {
    const parts = drain(create(), [bytes]);
    checkParts(parts);
    if (!isAlike(drain(create(), cut(random, bytes)), parts)) wrong('it depends on how the bytes are cut');
  },
});

const whole = (
  name: string,
  decode: (body: Buffer) => DecodedJson,
  toAnswer: (json: JsonObject) => unknown,
): Target => ({
  name: `${name} answer`,
  corpus: `${name}-answer`,
  run(bytes) {
    const decoded = decode(bytes);
    if (decoded.kind !== 'answer') return;
    checkUsage(decoded.usage);
    toAnswer(decoded.source.json as JsonObject);
  },
});

const RULES = { familyNames: ['openai', 'anthropic'], lateVariables: {} };
const isPublic = createAddressRule([]);

const texts: readonly Target[] = [
  {
    name: 'config documents',
    corpus: 'config',
    weight: 0.05,
    words: ['providers:', 'models:', 'routes:', 'pricing:', '$', '{X}', '<<: *a', '&a', '!!binary', '- ', '  '],
    run(bytes) {
      try {
        validateDocument(parseDocumentText(bytes.toString()), RULES);
      } catch (error) {
        if (!(error instanceof ConfigDocumentError)) throw error;
      }
    },
  },
  {
    name: 'the guard of JSON',
    corpus: 'json',
    run(bytes) {
      try {
        scanJson(bytes);
        JSON.parse(bytes.toString());
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof SyntaxError)) throw error;
      }
    },
  },
  {
    name: 'CSV that is written',
    corpus: 'csv',
    words: ['=', '+', '-', '@', '\t', '"', "'", '＝', '\u00a0', '\u200b', ',', '\r\n'],
    run(bytes) {
      const cells = bytes.toString().split('|');
      const [row = []] = parseCsv(formatCsv([cells]));
      for (const [index, cell] of row.entries()) {
        const plain = cells[index] ?? '';
        if (cell !== plain && cell !== `'${plain}`) wrong('another cell comes out');
        if (/^[\s"]*[=+\-@]/.test(cell)) wrong('a cell that is a formula');
      }
    },
  },
  {
    name: 'CSV that is read',
    corpus: 'invoice',
    words: ['"', '""', ',', '\r\n', '$', '-', '1,234.56', '2026-01-31', 'date', 'model', 'cost'],
    run(bytes) {
      try {
        readInvoice(bytes.toString(), {});
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
      }
    },
  },
  {
    name: 'allow-lists of addresses',
    corpus: 'cidr',
    words: ['/', '::', 'ffff:', '0x7f', '010.', '%eth0', '1.2.3.4', '/0', '/32', '/33', ' '],
    run(bytes) {
      const entry = bytes.toString();
      if (!isAllowListEntry(entry)) return;
      // A value that may be stored must be understood later, and must let its own address in.
      isAllowedAddress([entry], '203.0.113.7');
      isAllowedAddress([entry], '2001:db8::1');
      if (!entry.includes('/') && !entry.includes(':') && !isAllowedAddress([entry], entry)) wrong('not itself');
    },
  },
  {
    name: 'addresses of strangers',
    corpus: 'url',
    words: ['http://', 'https://', '@', '[::1]', '127.0.0.1', '0x7f.1', '2130706433', '%2e', '\\', '#', ':80', '。'],
    run(bytes) {
      const rules = { allowHttp: true, allowHighPorts: true, allowLocalNames: false };
      try {
        const host = hostOf(parseUrl(bytes.toString(), rules));
        if (host === 'localhost' || host === '') wrong(`a host of ${JSON.stringify(host)}`);
        isPublic(host);
      } catch (error) {
        if (!(error instanceof ForbiddenUrlError)) throw error;
      }
    },
  },
  {
    name: 'paths and addresses of mail',
    corpus: 'path',
    words: ['/', '//', '..', '%2f', '%00', '%c0%ae', '@', '.', '+', '\u202e'],
    run(bytes) {
      const path = normalizePath(bytes.toString('latin1'));
      if (path?.includes('..') === true && /(?:^|\/)\.\.(?:\/|$)/.test(path)) wrong('a path upwards');
      const address = normalizeEmail(bytes.toString());
      if (address !== null && (address.split('@').length !== 2 || /[\r\n,<>]/.test(address)))
        wrong(`the address ${address}`);
    },
  },
];

export const TARGETS: readonly Target[] = [
  stream('chat', createChatStreamDecoder),
  stream('responses', () => createResponseStreamDecoder({ keepsBlocks: true })),
  stream('anthropic', () => createMessageStreamDecoder({ keepsBlocks: true })),
  stream('gemini', createGeminiStreamDecoder),
  stream('bedrock', createConverseStreamDecoder),
  stream('cohere', createCohereStreamDecoder),
  whole('chat', decodeChatResponse, chatToAnswer),
  whole('responses', decodeResponse, responseToAnswer),
  whole('anthropic', decodeMessage, messageToAnswer),
  whole('gemini', decodeGemini, geminiToAnswer),
  whole('bedrock', decodeConverse, converseToAnswer),
  whole('cohere', decodeCohere, cohereToAnswer),
  ...texts,
];
