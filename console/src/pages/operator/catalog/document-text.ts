// The config document as text to edit, and the text as a document again.

export const textOfDocument = (document: unknown): string => JSON.stringify(document, null, 2);

export type ReadText = Readonly<{ document: unknown; problem: null }> | Readonly<{ document: null; problem: string }>;

export function readText(text: string): ReadText {
  try {
    const document: unknown = JSON.parse(text);
    const isObject = typeof document === 'object' && document !== null && !Array.isArray(document);
    return isObject ? { document, problem: null } : { document: null, problem: 'A config is one JSON object.' };
  } catch (error) {
    return { document: null, problem: `This is not JSON: ${error instanceof Error ? error.message : 'unreadable'}` };
  }
}

const REFUSAL = 'The config was not applied. ';

/** The gateway names every problem of a document in one message. */
export function problemsOf(message: string): readonly string[] {
  return message.startsWith(REFUSAL) ? message.slice(REFUSAL.length).split('; ') : [message];
}
