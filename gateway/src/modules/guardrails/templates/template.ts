// A built-in template: a way to find one kind of data in a text. Its patterns are ours and every repetition is bounded,
// so that their time grows with the length of the text only.

export type TextRange = Readonly<{ start: number; end: number }>;

export type Template = Readonly<{
  find(text: string): readonly TextRange[];
  /** A faster pattern that every match contains and most texts do not. Not global. */
  hint?: RegExp;
  /** How long a match may be, where that is longer than most. Long texts are searched in pieces. */
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
