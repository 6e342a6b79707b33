// The plain text of a conversation, for those who judge what is asked rather than pass it on. It comes from the
// vendor-neutral form, so every dialect is read alike.

import type { Conversation, Message } from './conversation.ts';

/** What the user said last. Tool results and pictures that came after it do not hide it. */
export function lastUserText({ messages }: Conversation): string {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role !== 'user') continue;
    const text = textOf(message);
    if (text !== '') return text;
  }
  return '';
}

/** The instructions to the model, wherever they stand. */
export function systemText({ messages }: Conversation): string {
  return messages
    .filter(({ role }) => role === 'system')
    .map(textOf)
    .join('\n');
}

function textOf(message: Message): string {
  const texts: string[] = [];
  for (const part of message.parts) if (part.type === 'text') texts.push(part.text);
  return texts.length === 1 ? (texts[0] ?? '') : texts.join('\n');
}
