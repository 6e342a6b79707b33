// Whether an answer says anything: a message of chat completions, a delta of one, or the content of another format.
// Whole answers and streams decide by it whether another provider is asked after an error, and so whether the call is
// charged: they must agree.

import type { JsonObject } from './json.ts';
import type { StreamPart } from './stream-part.ts';

/** A role, and empty members, are not content. */
export function saysSomething(message: JsonObject): boolean {
  return Object.entries(message).some(([name, value]) => name !== 'role' && !isNothing(value));
}

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** What blocks and items have besides their content. */
const LABELS: ReadonlySet<string> = new Set(['type', 'id', 'role', 'status', 'phase', 'mimeType']);

/** Frames of streams may be nested without end. */
const DEPTH_MAX = 16;

/** For blocks, items and parts of the other formats: a text anywhere in them, also a sealed one or a name. */
export function holdsText(content: unknown, depth = 0): boolean {
  if (typeof content !== 'object' || content === null) return typeof content === 'string' && content !== '';
  if (depth === DEPTH_MAX) return true;
  return Object.entries(content).some(([name, value]) => !LABELS.has(name) && holdsText(value, depth + 1));
}

/** The same for what a stream brings. */
export function isSaid(part: StreamPart): boolean {
  if ('text' in part) return part.text !== '';
  if (part.type === 'reasoning-end') {
    return [part.signature, part.redactedData, part.encryptedContent].some((proof) => proof !== undefined);
  }
  return part.type === 'tool-input-start' || part.type === 'block' || part.type === 'picture';
}
