// The texts in a request, in pieces that belong together. A reviewer reads passages: one message may be spread over
// several parts, and its origin decides by which rules it is judged.

/** Who wrote it: the author of the instructions, the user, the model earlier on, or a tool. */
export type PassageOrigin = 'instructions' | 'user' | 'assistant' | 'tool';

export type Passage = Readonly<{ origin: PassageOrigin; parts: readonly string[] }>;

/** Replaces one part. It is called for every part of every passage, in order. */
export type ReplacePart = (part: string) => string;

/** Receives the texts of a request one by one. */
export type TextVisitor = Readonly<{
  /** The parts up to the next `begin` belong together. */
  begin(origin: PassageOrigin): void;
  /** Answers the part itself where the visitor only reads. */
  replace: ReplacePart;
  /** Takes text that is read and cannot be replaced, after everything else. Absent where nobody wants to read it. */
  readFixed?(text: string): void;
  /** Texts in files are left encoded. */
  omitsFiles?: true;
}>;

export const userPassage = (...parts: readonly string[]): Passage => ({ origin: 'user', parts });

export function visitPassage(visitor: TextVisitor, { origin, parts }: Passage): void {
  visitor.begin(origin);
  for (const part of parts) visitor.replace(part);
}

type Readable = Readonly<{ visitTexts(visitor: TextVisitor): void }>;

/**
 * As a list, for code that needs all of them; code that only reads saves the list. What cannot be replaced is the last
 * passage, so the others are those that are asked for where texts are replaced.
 */
export function passagesOf(request: Readable): readonly Passage[] {
  const fixed: Passage[] = [];
  const said = collect(request, { readFixed: (text) => fixed.push({ origin: 'instructions', parts: [text] }) });
  return fixed.length === 0 ? said : [...said, ...fixed];
}

/** Only what was said, without files and names. */
export const saidIn = (request: Readable): readonly Passage[] => collect(request, { omitsFiles: true });

function collect(request: Readable, wishes: Pick<TextVisitor, 'readFixed' | 'omitsFiles'>): readonly Passage[] {
  const passages: { origin: PassageOrigin; parts: string[] }[] = [];
  request.visitTexts({
    begin: (origin) => passages.push({ origin, parts: [] }),
    replace(part) {
      passages.at(-1)?.parts.push(part);
      return part;
    },
    ...wishes,
  });
  return passages.filter(({ parts }) => parts.length > 0);
}
