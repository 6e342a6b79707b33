// The text that a model wrote in a part of its answer, and the part with another text: what is reviewed, and what grows
// as a stream comes. Of a call it is its input, which is JSON for a function and plain text for a custom tool.

import type { AssistantPart } from './conversation.ts';
import { customCall } from './custom-tools.ts';

export function partText(part: AssistantPart): string {
  return part.type === 'tool-call' ? (part.plainInput ?? part.argumentsText) : part.text;
}

export function withPartText(part: AssistantPart, text: string): AssistantPart {
  if (part.type !== 'tool-call') return { ...part, text };
  return part.plainInput === undefined
    ? { ...part, argumentsText: text }
    : { ...part, ...customCall(part.id, part.name, text) };
}
