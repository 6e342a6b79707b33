// Reviews what a model has answered before a client sees it. Most calls have none: it is there where an organization has
// rules on answers, and nobody else pays for it.

export type ReviewedTexts = Readonly<{
  /** As they may be shown, in their order. */
  texts: readonly string[];
  /** Why none of them may be shown; null when they may. */
  refusal: string | null;
}>;

/** A text as it grows. What could be the beginning of something that must not be shown is kept until that is decided. */
export type OutputWindow = {
  /** What may be shown now. */
  push(text: string): string;
  /** The rest: nothing more will come. */
  end(): string;
  /** Once set, nothing more may be shown. */
  readonly refusal: string | null;
};

export type OutputReview = Readonly<{
  whole(texts: readonly string[]): ReviewedTexts | Promise<ReviewedTexts>;
  /** Null where an answer can only be judged as a whole, and is kept until then. */
  openWindow: (() => OutputWindow) | null;
}>;
