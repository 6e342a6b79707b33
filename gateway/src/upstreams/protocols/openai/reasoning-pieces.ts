// Finds the thinking in a message or a delta. Copies of this protocol put it in many places, some in two at once with
// the same words, so the most detailed place that has any is used.

import { filledOrNull, isJsonObject, type JsonObject, textOrEmpty } from '../../../canonical/json.ts';

/** A part's thinking may come in many pieces with the same index; the signature is in the last of them. */
export type ReasoningPiece = Readonly<{
  index: number | null;
  itemId: string | null;
  text: string;
  signature: string | null;
  redactedData: string | null;
  encryptedContent: string | null;
}>;

const EMPTY: ReasoningPiece = {
  index: null,
  itemId: null,
  text: '',
  signature: null,
  redactedData: null,
  encryptedContent: null,
};

/** Redacted thinking stands alone; other encrypted thinking belongs to a Responses item. */
const REDACTED_FORMAT = 'anthropic-claude-v1';

/** Members in which thinking is plain text. */
const PLAIN_MEMBERS = ['reasoning', 'reasoning_content', 'reasoning_text'];

export function readReasoningPieces(holder: JsonObject): readonly ReasoningPiece[] {
  const details = [holder.reasoning_details, holder.thinking_blocks].find(isFilledList) ?? [];
  const pieces: ReasoningPiece[] = [];
  let hasText = false;
  for (const detail of details) {
    const piece = isJsonObject(detail) ? readDetail(detail) : null;
    if (piece === null) continue;
    pieces.push(piece);
    if (piece.text !== '') hasText = true;
  }
  const text = hasText ? '' : (PLAIN_MEMBERS.map((name) => textOrEmpty(holder[name])).find((it) => it !== '') ?? '');
  if (text !== '')
    pieces.unshift({ ...EMPTY, index: pieces[0]?.index ?? null, itemId: pieces[0]?.itemId ?? null, text });
  return pieces;
}

function readDetail(detail: JsonObject): ReasoningPiece | null {
  const piece = { ...EMPTY, index: readIndex(detail.index), itemId: filledOrNull(detail.id) };
  switch (detail.type) {
    case 'thinking':
      return { ...piece, text: textOrEmpty(detail.thinking), signature: filledOrNull(detail.signature) };
    case 'redacted_thinking':
      return { ...piece, redactedData: filledOrNull(detail.data) };
    case 'summary_text':
    case 'reasoning.text':
      return { ...piece, text: textOrEmpty(detail.text), signature: filledOrNull(detail.signature) };
    case 'reasoning.summary':
      return { ...piece, text: textOrEmpty(detail.summary) };
    case 'reasoning.encrypted': {
      const data = filledOrNull(detail.data);
      if (data === null) return null;
      return isRedacted(detail, piece.itemId)
        ? { ...piece, itemId: null, redactedData: data }
        : { ...piece, encryptedContent: data };
    }
    default:
      return null;
  }
}

const isFilledList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;

function isRedacted(detail: JsonObject, itemId: string | null): boolean {
  return typeof detail.format === 'string' ? detail.format === REDACTED_FORMAT : itemId === null;
}

function readIndex(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}
