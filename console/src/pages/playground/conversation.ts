// A conversation in the playground: questions and answers in turn. Each column has its own, because each model is sent
// its own earlier answers.

import type { CalledFunction } from '../../api/chat-stream.ts';

export type FunctionResult = Readonly<{ callId: string; text: string }>;

export type Question = Readonly<{
  text: string;
  /** Pictures as data URIs. */
  pictures: readonly string[];
  /** The results of the functions that the previous answer called; then there is no text. */
  results: readonly FunctionResult[];
}>;

/** The part of an answer that the next call repeats to the model. */
type Said = Readonly<{ text: string; calls: readonly CalledFunction[] }>;
export type SaidTurn = Readonly<{ question: Question; answer: Said }>;

/** What is kept in the browser, and what a link restores. */
export type Conversation = Readonly<{
  models: readonly string[];
  settings: Settings;
  /** One list for each model. */
  columns: readonly (readonly SaidTurn[])[];
}>;

type Message = Readonly<Record<string, unknown>>;

/** The question and everything before it, in the chat dialect. */
export function messagesOf(system: string, before: readonly SaidTurn[], question: Question): readonly Message[] {
  return [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...before.filter(isAnswered).flatMap((turn) => [...questionMessages(turn.question), answerMessage(turn.answer)]),
    ...questionMessages(question),
  ];
}

/** A turn that failed is not repeated: two questions in a row confuse models, and some vendors refuse them. */
const isAnswered = ({ answer }: SaidTurn): boolean => answer.text !== '' || answer.calls.length > 0;

function questionMessages({ text, pictures, results }: Question): readonly Message[] {
  if (results.length > 0) {
    return results.map((result) => ({ role: 'tool', tool_call_id: result.callId, content: result.text }));
  }
  if (pictures.length === 0) return [{ role: 'user', content: text }];
  const parts = pictures.map((url) => ({ type: 'image_url', image_url: { url } }));
  return [{ role: 'user', content: [{ type: 'text', text }, ...parts] }];
}

const answerMessage = ({ text, calls }: Said): Message => ({
  role: 'assistant',
  content: text === '' ? null : text,
  ...(calls.length === 0
    ? {}
    : {
        tool_calls: calls.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: call.arguments },
        })),
      }),
});

/** A function that is offered to the model; its parameters are a JSON schema as text. */
export type OfferedFunction = Readonly<{ name: string; description: string; parameters: string }>;

export type Settings = Readonly<{
  system: string;
  temperature: string;
  maxTokens: string;
  size: string;
  voice: string;
  functions: readonly OfferedFunction[];
  /** A JSON schema as text that the answer has to follow; empty for an answer in words. */
  answerSchema: string;
}>;
