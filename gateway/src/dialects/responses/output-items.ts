// The items of an answer's output, as they stand in a whole response and in the events of a stream.

import type { TokenLogprob } from '../../canonical/answer.ts';
import type { Citation, ReasoningPart } from '../../canonical/conversation.ts';
import { customInput } from '../../canonical/custom-tools.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { renderToken } from '../chat/render-logprobs.ts';
import { isProof, sealReasoning } from './sealed-reasoning.ts';
import type { CalledName } from './tool-names.ts';

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export function outputText({ text, citations = [], logprobs = [] }: Said): JsonObject {
  const annotations = citations.map((it) => annotation(it, text.length));
  return { type: 'output_text', annotations, logprobs: logprobs.map(renderToken), text };
}

/** `length` is that of the text that it belongs to. */
export function annotation({ url, title, documentIndex, range, block }: Citation, length: number): JsonObject {
  if (block !== undefined) return block;
  if (url === null) {
    const index = documentIndex ?? 0;
    return {
      type: 'file_citation',
      file_id: `document-${index}`,
      filename: title ?? `document ${index}`,
      index: length,
    };
  }
  const { start, end } = range ?? { start: 0, end: length };
  return { type: 'url_citation', url, title: title ?? url, start_index: start, end_index: end };
}

export type Said = Readonly<{
  text: string;
  citations?: readonly Citation[] | undefined;
  logprobs?: readonly TokenLogprob[] | undefined;
}>;

type Own = Readonly<{ own?: JsonObject | undefined }>;

export function messageItem(id: string, status: ItemStatus, said: Said & Own): JsonObject {
  const content = status === 'in_progress' ? [] : [outputText(said)];
  return { id, type: 'message', status, role: 'assistant', ...said.own, content };
}

type FunctionCall = Own & Readonly<{ callId: string; called: CalledName; argumentsText: string }>;

/** The arguments of a call without parameters, because empty text is not JSON. */
export const NO_ARGUMENTS = '{}';

export function functionCallItem(id: string, status: ItemStatus, call: FunctionCall): JsonObject {
  const { name, namespace } = call.called;
  return {
    id,
    type: 'function_call',
    status,
    call_id: call.callId,
    name,
    ...(namespace === null ? {} : { namespace }),
    ...call.own,
    arguments: call.argumentsText,
  };
}

/** The same call for a tool that takes plain text. */
export function customCallItem(id: string, status: ItemStatus, call: FunctionCall): JsonObject {
  const { arguments: _arguments, ...item } = functionCallItem(id, status, call);
  return { ...item, type: 'custom_tool_call', input: customInput(call.argumentsText) };
}

/** A picture that the model has made. */
export function pictureItem(id: string, status: ItemStatus, bytes: Buffer): JsonObject {
  const result = status === 'in_progress' ? null : bytes.toString('base64');
  return { id, type: 'image_generation_call', status, result };
}

export function summaryText(text: string): JsonObject {
  return { type: 'summary_text', text };
}

/**
 * `encrypted_content` is included whether or not it was asked for: without it the next call cannot continue from here.
 * OpenAI has it on every item, so clients that keep the conversation themselves require it; where nothing needs proof it
 * is an empty seal.
 */
export function reasoningItem(id: string, part: ReasoningPart, isHidden: boolean): JsonObject {
  const summary = part.text === '' || isHidden ? [] : [summaryText(part.text)];
  return { id, type: 'reasoning', summary, encrypted_content: part.encryptedContent ?? seal(part, isHidden) };
}

function seal({ signature, redactedData, text }: ReasoningPart, isHidden: boolean): string {
  const proof = { signature, redactedData };
  return sealReasoning(isProof(proof) && isHidden && text !== '' ? { ...proof, text } : proof);
}
