// Results of tools for models that take texts alone in them. What else a tool has returned follows as the user's, and
// that a tool has failed is said in words.

import type { Message, TextPart, ToolResultPart } from '../../../canonical/conversation.ts';
import { asFailed } from '../../failed-result.ts';

export const withPlainResults = (messages: readonly Message[]): readonly Message[] => messages.flatMap(plainMessages);

function plainMessages(message: Message): readonly Message[] {
  if (message.role !== 'tool') return [message];
  const media = message.parts.flatMap(({ content }) => content.filter((part) => part.type !== 'text'));
  const results: Message = { role: 'tool', parts: message.parts.map(plainResult) };
  return media.length === 0 ? [results] : [results, { role: 'user', parts: media }];
}

function plainResult({ content, isError, ...result }: ToolResultPart): ToolResultPart {
  const texts = content.filter((part): part is TextPart => part.type === 'text');
  if (!isError) return { ...result, content: texts, isError };
  const text = texts.map((part) => part.text).join('\n\n');
  return { ...result, content: [{ type: 'text', text: asFailed(text) }], isError: false };
}
