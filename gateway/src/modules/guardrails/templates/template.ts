// What a built-in template is: a way to find a kind of data in a text. Patterns here are ours and bounded in every
// repetition, so that the time they take grows with the text and with nothing else.

export type TextRange = Readonly<{ start: number; end: number }>;

export type Template = Readonly<{
  find(text: string): readonly TextRange[];
  /** What every match has in it and most texts have not, where that can be told more quickly. Not global. */
  hint?: RegExp;
  /** How far a match may reach, where that is further than most. Long texts are searched in pieces. */
  reach?: number;
}>;

/** Every match of a pattern that `accept` confirms. */
export function findAll(
  text: string,
  pattern: RegExp,
  accept: (match: string) => boolean = () => true,
): readonly TextRange[] {
  const found: TextRange[] = [];
  for (const match of text.matchAll(pattern)) {
    if (!accept(match[0])) continue;
    found.push({ start: match.index, end: match.index + match[0].length });
  }
  return found;
}

export const digitsOf = (text: string): string => text.replace(/\D/g, '');
