// The texts of an answer that reviewers read and may change: what the model wrote, what it cites, and blocks that only
// the upstream's own format has. Whole answers and streams have the same texts, each by itself.

import type { Answer, AnswerPart } from '../canonical/answer.ts';
import type { AssistantPart, Citation, ReasoningPart, TextPart, ToolCallPart } from '../canonical/conversation.ts';
import { isJsonObject, type JsonObject } from '../canonical/json.ts';
import { partText, withPartText } from '../canonical/part-text.ts';
import type { ReplacePart } from '../canonical/passage.ts';
import type { JoinedKind } from './answer-texts.ts';
import { mapPassageTexts } from './map-texts.ts';
import { readableJson, writableJson } from './readable-json.ts';

/** `kind` of a text that belongs together with all others of it. */
type ReplaceText = (text: string, kind?: JoinedKind) => string;

export function mapAnswer(answer: Answer, replace: ReplaceText): Answer {
  const parts = answer.parts.map((part) => mapAnswerPart(part, replace));
  return answer.own === undefined
    ? { ...answer, parts }
    : { ...answer, parts, own: mapOwn(answer.own, (text) => replace(text)) };
}

/** The same part where nothing changes. */
export function mapAnswerPart(part: AnswerPart, replace: ReplaceText): AnswerPart {
  const replaceAlone = (text: string): string => replace(text);
  if (part.type === 'block') {
    const block = mapBlock(part.block, replaceAlone);
    return block === part.block ? part : { ...part, block };
  }
  const mapped = part.type === 'tool-call' ? mapCall(part, replaceAlone) : mapWords(part, replace);
  if (mapped.type !== 'text' || mapped.citations === undefined) return mapped;
  const citations = mapped.citations.map((citation) => mapCitation(citation, replaceAlone));
  return citations.every((citation, index) => citation === mapped.citations?.[index])
    ? mapped
    : { ...mapped, citations };
}

function mapWords(part: TextPart | ReasoningPart, replace: ReplaceText): AssistantPart {
  const isJson = part.type === 'text' && part.isJson === true;
  const readable = isJson ? readableJson(part.text, true) : part.text;
  const text = replace(readable, part.type);
  return text === readable ? part : { ...part, text: isJson ? writableJson(text, true) : text };
}

function mapCall(called: ToolCallPart, replace: ReplacePart): AssistantPart {
  const call = mapName(called, replace);
  const isJson = call.plainInput === undefined;
  const text = isJson ? readableJson(call.argumentsText) : partText(call);
  const changed = replace(text);
  return changed === text ? call : withPartText(call, isJson ? writableJson(changed) : changed);
}

/** Whatever calls a tool. What the request offers keeps its name, by which the client knows it. */
export function mapName<Call extends Named>(call: Call, replace: ReplacePart): Call {
  if (call.isInvented !== true) return call;
  const name = replace(call.name);
  const namespace = call.namespace === undefined ? undefined : replace(call.namespace);
  return name === call.name && namespace === call.namespace ? call : { ...call, name, namespace };
}

type Named = Readonly<{ name: string; namespace?: string | undefined; isInvented?: true }>;

/** For clients of another format, which have no place for what only the upstream's has. */
export function withoutOwn({ own: _own, ...answer }: Answer): Answer {
  return { ...answer, parts: answer.parts.flatMap((part) => (part.type === 'block' ? [] : [plainPart(part)])) };
}

function plainPart(part: AssistantPart): AssistantPart {
  if (part.type === 'reasoning') return part;
  if (part.type === 'tool-call') return part.own === undefined ? part : { ...part, own: undefined };
  const { own: _own, citations, ...text } = part;
  return citations === undefined
    ? text
    : { ...text, citations: citations.map((citation) => ({ ...citation, block: undefined })) };
}

/** Names, and a code that is sent back. */
const WORDLESS_DETAILS = ['type', 'category', 'recommended_model', 'fallback_credit_token'];

/** Of what an answer has beside its parts, only what is said about a refusal is for people to read. */
export function mapOwn(own: JsonObject, replace: ReplacePart): JsonObject {
  const { stop_details: details } = own;
  if (!isJsonObject(details)) return own;
  const words = Object.fromEntries(Object.entries(details).filter(([name]) => !WORDLESS_DETAILS.includes(name)));
  const mapped = mapPassageTexts(words, replace);
  return mapped === words ? own : { ...own, stop_details: { ...details, ...mapped } };
}

export function mapCitation(citation: Citation, replace: ReplacePart): Citation {
  if (citation.block !== undefined) {
    const block = mapPassageTexts(citation.block, replace);
    return block === citation.block ? citation : { ...citation, block };
  }
  const title = citation.title === null ? null : replace(citation.title);
  const citedText = citation.citedText === null ? null : replace(citation.citedText);
  return title === citation.title && citedText === citation.citedText ? citation : { ...citation, title, citedText };
}

/** A block is read as it will be when it comes back in a request. */
export function mapBlock(block: JsonObject, replace: ReplacePart): JsonObject {
  const mapped = mapPassageTexts(block, replace);
  if (mapped === block || block.type !== 'compaction') return mapped;
  // Its proofs hold for the text as it came.
  return { type: block.type, content: mapped.content === '' ? null : mapped.content };
}
