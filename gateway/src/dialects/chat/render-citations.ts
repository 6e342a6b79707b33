// Sources in this dialect: pages with a range in the whole answer's text. A document has no address, so its place in
// the request is used as one; clients refuse an annotation of another kind.

import type { Citation } from '../../canonical/conversation.ts';
import type { JsonObject } from '../../canonical/json.ts';

/** `text` is where the piece of text that they belong to is in the answer. */
export function renderChatCitations(
  citations: readonly Citation[],
  text: Readonly<{ start: number; end: number }>,
): readonly JsonObject[] {
  return citations.map(({ url, title, citedText, documentIndex, range }) => ({
    type: 'url_citation',
    url_citation: {
      url: url ?? `document:${documentIndex ?? 0}`,
      title: title ?? url ?? '',
      start_index: range === null ? text.start : text.start + range.start,
      end_index: range === null ? text.end : text.start + range.end,
      ...(citedText === null ? {} : { content: citedText }),
    },
  }));
}
