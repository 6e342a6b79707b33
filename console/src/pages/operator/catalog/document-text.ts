// The config document as text to edit, and the text as a document again.

import { parse, stringify } from 'yaml';
import { describeProblem } from '../../../api/problem.ts';

export type DocumentFormat = 'json' | 'yaml';

export const textOfDocument = (document: unknown, format: DocumentFormat = 'json'): string =>
  format === 'json' ? JSON.stringify(document, null, 2) : stringify(document, { lineWidth: 0 });

export type ReadText = Readonly<{ document: unknown; problem: null }> | Readonly<{ document: null; problem: string }>;

/** Text that begins like JSON is read as JSON, so that its errors are JSON's. */
export function readText(text: string): ReadText {
  const isJson = text.trimStart().startsWith('{');
  try {
    const document: unknown = isJson ? JSON.parse(text) : parse(text);
    const isObject = typeof document === 'object' && document !== null && !Array.isArray(document);
    return isObject ? { document, problem: null } : { document: null, problem: 'A config is one mapping of keys.' };
  } catch (error) {
    const words = error instanceof Error ? error.message : 'unreadable';
    return { document: null, problem: `This is not ${isJson ? 'JSON' : 'YAML'}: ${words}` };
  }
}

/** Prices look like a wrong unit: the gateway says so where confirming would help. */
export const isSlip = (error: Error | null): boolean =>
  error !== null && describeProblem(error).includes('confirm_prices');

const REFUSAL = 'The config was not applied. ';

/** The gateway names every problem of a document in one message. */
export function problemsOf(message: string): readonly string[] {
  return message.startsWith(REFUSAL) ? message.slice(REFUSAL.length).split('; ') : [message];
}
