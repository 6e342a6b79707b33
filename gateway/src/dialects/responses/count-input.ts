// How many tokens the input of a checked body has. It is counted by the counter of Messages, so the body is given the
// form of that dialect; nothing but the counter ever sees it.

import { isJsonObject, type JsonObject, listOrEmpty, textOrEmpty } from '../../canonical/json.ts';
import { countPromptTokens } from '../messages/count-prompt.ts';

export function countInputTokens(
  { input, instructions, tools }: JsonObject,
  countText: (text: string) => number,
): number {
  const messages =
    typeof input === 'string' ? [{ content: input }] : listOrEmpty(input).filter(isJsonObject).map(toMessage);
  return countPromptTokens({ system: instructions, messages, tools }, countText);
}

function toMessage(item: JsonObject): JsonObject {
  const { type = 'message', content, output, encrypted_content: _sealed, ...others } = item;
  if (type === 'message') return { content: toBlocks(content) };
  // The model is not shown the thinking of earlier turns again.
  if (type === 'reasoning') return { content: '' };
  if (output !== undefined) return { content: [{ type: 'tool_result', content: toBlocks(output) }] };
  return { content: [{ ...others, type: 'tool_use' }] };
}

const toBlocks = (content: unknown): unknown =>
  Array.isArray(content) ? content.filter(isJsonObject).map(toBlock) : content;

function toBlock(part: JsonObject): JsonObject {
  switch (part.type) {
    case 'input_image':
      return { type: 'image', source: { type: 'url', url: part.image_url } };
    case 'input_file': {
      const data = textOrEmpty(part.file_data);
      const isPdf = data.startsWith('data:application/pdf');
      const source = { type: 'base64', media_type: isPdf ? 'application/pdf' : 'text/plain', data };
      return { type: 'document', title: part.filename, source };
    }
    default:
      return typeof part.text === 'string' ? { type: 'text', text: part.text } : part;
  }
}
