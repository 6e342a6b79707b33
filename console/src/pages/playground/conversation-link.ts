// A conversation in the fragment of an address, which no server ever sees. A link is not trusted more than any
// stranger's text: its size is bounded before and after unpacking, every part is checked, and opening it sends nothing
// to a model.

import type { CalledFunction } from '../../api/chat-stream.ts';
import { NO_SETTINGS } from './call-body.ts';
import type { Conversation, FunctionResult, OfferedFunction, Question, SaidTurn, Settings } from './conversation.ts';

const PREFIX = '#conversation=';
/** Longer addresses are cut by mail programs and chats. */
const LINK_LENGTH_MAX = 8_000;
const TEXT_LENGTH_MAX = 200_000;
const COLUMNS_MAX = 3;
const TURNS_MAX = 100;
const FUNCTIONS_MAX = 5;

/** The fragment; null when the conversation is too long for an address. Pictures are left out. */
export async function fragmentOf(conversation: Conversation): Promise<string | null> {
  const bytes = await pack(JSON.stringify(withoutPictures(conversation)));
  const fragment = PREFIX + base64Url(bytes);
  return fragment.length > LINK_LENGTH_MAX ? null : fragment;
}

/** The conversation in a fragment; null for any other fragment, and for one that cannot be read. */
export async function readFragment(fragment: string): Promise<Conversation | null> {
  if (!fragment.startsWith(PREFIX) || fragment.length > LINK_LENGTH_MAX) return null;
  try {
    return readConversation(JSON.parse(await unpack(bytesOf(fragment.slice(PREFIX.length)))));
  } catch {
    return null;
  }
}

export const withoutPictures = (conversation: Conversation): Conversation => ({
  ...conversation,
  columns: conversation.columns.map((turns) =>
    turns.map(({ question, answer }) => ({ question: { ...question, pictures: [] }, answer })),
  ),
});

async function pack(text: string): Promise<Uint8Array> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([bytes])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'))
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
    if (text.length <= TEXT_LENGTH_MAX) continue;
    await reader.cancel();
    throw new Error('the conversation is too long');
  }
}

const base64Url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));

/** Throws for anything that does not fit. */
export function readConversation(value: unknown): Conversation {
  const { models, settings, columns } = record(value);
  return {
    models: list(models, COLUMNS_MAX).map(text),
    settings: readSettings(settings),
    columns: list(columns, COLUMNS_MAX).map((turns) => list(turns, TURNS_MAX).map(readTurn)),
  };
}

function readSettings(value: unknown): Settings {
  const { functions, ...texts } = { ...NO_SETTINGS, ...record(value) };
  const { system, temperature, maxTokens, size, voice, answerSchema } = texts;
  return {
    system: text(system),
    temperature: text(temperature),
    maxTokens: text(maxTokens),
    size: text(size),
    voice: text(voice),
    answerSchema: text(answerSchema),
    functions: list(functions, FUNCTIONS_MAX).map((entry): OfferedFunction => {
      const { name, description, parameters } = record(entry);
      return { name: text(name), description: text(description), parameters: text(parameters) };
    }),
  };
}

function readTurn(value: unknown): SaidTurn {
  const { question, answer } = record(value);
  const said = record(answer);
  return {
    question: readQuestion(record(question)),
    answer: { text: text(said.text), calls: list(said.calls, TURNS_MAX).map(readCall) },
  };
}

function readQuestion({ text: words, results }: Readonly<Record<string, unknown>>): Question {
  const readResult = (value: unknown): FunctionResult => {
    const result = record(value);
    return { callId: text(result.callId), text: text(result.text) };
  };
  return { text: text(words), pictures: [], results: list(results, TURNS_MAX).map(readResult) };
}

function readCall(value: unknown): CalledFunction {
  const call = record(value);
  return { id: text(call.id), name: text(call.name), arguments: text(call.arguments) };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
  return value as Readonly<Record<string, unknown>>;
}

function list(value: unknown, lengthMax: number): readonly unknown[] {
  if (!Array.isArray(value) || value.length > lengthMax) throw new TypeError('not a list');
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('not a text');
  return value;
}
