// A model's thinking in this dialect: beside the readable text, a list of details with the signatures and encrypted
// content. A client that sends an answer back unchanged returns them, and only so can another vendor's thinking
// continue.

import type { ReasoningPart } from '../../canonical/conversation.ts';
import { isFilled, isJsonObject, type JsonObject, textOrEmpty } from '../../canonical/json.ts';

const TEXT = 'reasoning.text';
const SUMMARY = 'reasoning.summary';
const ENCRYPTED = 'reasoning.encrypted';
/** Tells an encrypted Responses item from redacted thinking: both are sent as `reasoning.encrypted`. */
const ITEM_FORMAT = 'openai-responses-v1';
const REDACTED_FORMAT = 'anthropic-claude-v1';

/** The details of one part. `index` tells parts apart where a client receives them piece by piece. */
export function renderReasoningDetails(part: ReasoningPart, index: number): JsonObject[] {
  const { text, signature, redactedData, itemId, encryptedContent } = part;
  if (redactedData !== undefined) return [{ type: ENCRYPTED, data: redactedData, index }];
  if (itemId === undefined && encryptedContent === undefined) {
    return [{ type: TEXT, text, ...(signature === undefined ? {} : { signature }), index }];
  }
  const details: JsonObject[] = [];
  const item = { ...(itemId === undefined ? {} : { id: itemId }), format: ITEM_FORMAT, index };
  if (text !== '' || encryptedContent === undefined) details.push({ type: SUMMARY, summary: text, ...item });
  if (encryptedContent !== undefined) details.push({ type: ENCRYPTED, data: encryptedContent, ...item });
  return details;
}

/** The thinking of an assistant message; without usable details it is only the readable text. */
export function readReasoning(message: JsonObject): readonly ReasoningPart[] {
  const details = Array.isArray(message.reasoning_details) ? readDetails(message.reasoning_details) : [];
  const text = textOrEmpty(message.reasoning) || textOrEmpty(message.reasoning_content);
  const [first] = details;
  if (first === undefined) return text === '' ? [] : [{ type: 'reasoning', text }];
  // A client may have kept only the last piece of a stream, the signature, beside the whole text that it signs.
  const isBareSignature = details.length === 1 && first.signature !== undefined && first.text === '';
  return isBareSignature ? [{ ...first, text }] : details;
}

type OpenPart = {
  type: 'reasoning';
  text: string;
  signature?: string;
  redactedData?: string;
  itemId?: string;
  encryptedContent?: string;
};

function readDetails(details: readonly unknown[]): ReasoningPart[] {
  const parts: OpenPart[] = [];
  let index: unknown;
  for (const detail of details) {
    if (!isJsonObject(detail)) continue;
    // A client may keep the pieces of a stream separate; the pieces of one part have the same index and are adjacent.
    const last = detail.index === index ? parts.at(-1) : undefined;
    index = detail.index;
    const isAdded = addToPart(last, detail);
    const part = isAdded ? null : readPart(detail);
    if (part !== null) parts.push(part);
  }
  return parts;
}

/** False when the detail begins a part of its own. */
function addToPart(part: OpenPart | undefined, detail: JsonObject): boolean {
  const isOpen = part !== undefined && [part.signature, part.redactedData, part.encryptedContent].every(isUnset);
  if (!isOpen || part.itemId !== readId(detail)) return false;
  switch (detail.type) {
    case TEXT:
      part.text += textOrEmpty(detail.text);
      if (isFilled(detail.signature)) part.signature = detail.signature;
      return true;
    case SUMMARY:
      part.text += textOrEmpty(detail.summary);
      return true;
    case ENCRYPTED:
      if (!isItem(detail) || !isFilled(detail.data)) return false;
      part.encryptedContent = detail.data;
      return true;
    default:
      return true;
  }
}

function readPart(detail: JsonObject): OpenPart | null {
  const itemId = readId(detail);
  const item = itemId === undefined ? {} : { itemId };
  switch (detail.type) {
    case TEXT: {
      const signed = isFilled(detail.signature) ? { signature: detail.signature } : {};
      return { type: 'reasoning', text: textOrEmpty(detail.text), ...item, ...signed };
    }
    case SUMMARY:
      return { type: 'reasoning', text: textOrEmpty(detail.summary), ...item };
    case ENCRYPTED:
      if (!isFilled(detail.data)) return null;
      if (isItem(detail)) return { type: 'reasoning', text: '', ...item, encryptedContent: detail.data };
      return { type: 'reasoning', text: '', redactedData: detail.data };
    default:
      return null;
  }
}

function isItem(detail: JsonObject): boolean {
  return typeof detail.format === 'string' ? detail.format !== REDACTED_FORMAT : readId(detail) !== undefined;
}

function readId(detail: JsonObject): string | undefined {
  return isFilled(detail.id) ? detail.id : undefined;
}

function isUnset(value: unknown): boolean {
  return value === undefined;
}
