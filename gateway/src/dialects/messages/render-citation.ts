// A source as this dialect knows it: a result of a search of the web, or a place in a document.

import type { Citation } from '../../canonical/conversation.ts';
import type { JsonObject } from '../../canonical/json.ts';

export function renderMessagesCitation({ url, title, citedText, documentIndex, place }: Citation): JsonObject {
  const cited = citedText ?? '';
  if (url !== null) {
    return { type: 'web_search_result_location', url, title, cited_text: cited, encrypted_index: '' };
  }
  const document = { cited_text: cited, document_index: documentIndex ?? 0, document_title: title, file_id: null };
  const { unit, start, end } = place ?? { unit: 'character', start: 0, end: cited.length };
  switch (unit) {
    case 'character':
      return { type: 'char_location', ...document, start_char_index: start, end_char_index: end };
    case 'page':
      return { type: 'page_location', ...document, start_page_number: start, end_page_number: end };
    case 'block':
      return { type: 'content_block_location', ...document, start_block_index: start, end_block_index: end };
  }
}
