// A source as this dialect knows it: a result of a search of the web, or a place in a document.

import type { Citation } from '../../canonical/conversation.ts';
import type { JsonObject } from '../../canonical/json.ts';

export function renderMessagesCitation({ url, title, citedText, documentIndex }: Citation): JsonObject {
  const cited = citedText ?? '';
  if (url !== null) {
    return { type: 'web_search_result_location', url, title, cited_text: cited, encrypted_index: '' };
  }
  return {
    type: 'char_location',
    cited_text: cited,
    document_index: documentIndex ?? 0,
    document_title: title,
    start_char_index: 0,
    end_char_index: cited.length,
    file_id: null,
  };
}
