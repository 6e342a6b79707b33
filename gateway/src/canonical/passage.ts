// What people and models have written into a request, in the pieces that belong together. A reviewer reads passages: what
// one message says may be spread over several parts, and where words come from decides what they are judged by.

/** Who wrote it: whoever instructs the model, the user, the model itself earlier on, or a tool that it called. */
export type PassageOrigin = 'instructions' | 'user' | 'assistant' | 'tool';

export type Passage = Readonly<{ origin: PassageOrigin; parts: readonly string[] }>;

/** Replaces one part. It is asked for every part of every passage, in their order. */
export type ReplacePart = (part: string) => string;

/** What is done with the words of a request, as they are come by. */
export type TextVisitor = Readonly<{
  /** What follows belongs together, up to the next call. */
  begin(origin: PassageOrigin): void;
  /** Answers with the part itself where it only reads. */
  replace: ReplacePart;
}>;

export const userPassage = (...parts: readonly string[]): Passage => ({ origin: 'user', parts });

export function visitPassage(visitor: TextVisitor, { origin, parts }: Passage): void {
  visitor.begin(origin);
  for (const part of parts) visitor.replace(part);
}

/** As a list, for those who need to see all of it; whoever only reads saves making one. */
export function passagesOf(request: Readonly<{ visitTexts(visitor: TextVisitor): void }>): readonly Passage[] {
  const passages: { origin: PassageOrigin; parts: string[] }[] = [];
  request.visitTexts({
    begin: (origin) => passages.push({ origin, parts: [] }),
    replace(part) {
      passages.at(-1)?.parts.push(part);
      return part;
    },
  });
  return passages.filter(({ parts }) => parts.length > 0);
}
