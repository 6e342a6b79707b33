// The texts of an answer that reviewers read and may change: what the model wrote, what it cites, and blocks that only
// the upstream's own format has. Whole answers and streams have the same texts, each by itself.

import type { AnswerPart } from '../canonical/answer.ts';
import type { Citation } from '../canonical/conversation.ts';
import type { JsonObject } from '../canonical/json.ts';
import { partText, withPartText } from '../canonical/part-text.ts';
import type { ReplacePart } from '../canonical/passage.ts';
import { mapPassageTexts } from './map-texts.ts';

/** The same part where nothing changes. */
export function mapAnswerPart(part: AnswerPart, replace: ReplacePart): AnswerPart {
  if (part.type === 'block') {
    const block = mapBlock(part.block, replace);
    return block === part.block ? part : { ...part, block };
  }
  const text = partText(part);
  const changed = replace(text);
  const mapped = changed === text ? part : withPartText(part, changed);
  if (mapped.type !== 'text' || mapped.citations === undefined) return mapped;
  const citations = mapped.citations.map((citation) => mapCitation(citation, replace));
  return citations.every((citation, index) => citation === mapped.citations?.[index])
    ? mapped
    : { ...mapped, citations };
}

export function mapCitation(citation: Citation, replace: ReplacePart): Citation {
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
