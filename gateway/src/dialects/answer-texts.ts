// The texts of an answer as reviewers read them, and where each belongs. What a client reads in one piece is one text in
// parts, although an upstream may have divided it: all of the model's words together, and all of its thinking.

import type { AnswerText } from '../canonical/answer.ts';

/** The kinds of texts that are one, however many blocks they come in; every other is a text of its own. */
export type JoinedKind = 'text' | 'reasoning';

type Group = { readonly sent: string; readonly parts: string[] };

export class AnswerTexts {
  readonly #groups: Group[] = [];
  readonly #joined = new Map<JoinedKind, Group>();
  readonly #places: Readonly<{ group: Group; index: number }>[] = [];

  /** Answers the place of the part. `sent` is what the client has of the text already. */
  add(text: string, kind: JoinedKind | null = null, sent = ''): number {
    let group = kind === null ? undefined : this.#joined.get(kind);
    if (group === undefined) {
      group = { sent, parts: [] };
      this.#groups.push(group);
      if (kind !== null) this.#joined.set(kind, group);
    }
    group.parts.push(text);
    return this.#places.push({ group, index: group.parts.length - 1 }) - 1;
  }

  get count(): number {
    return this.#places.length;
  }

  extend(place: number, text: string): void {
    const found = this.#places[place];
    if (found !== undefined) found.group.parts[found.index] += text;
  }

  get texts(): readonly AnswerText[] {
    return this.#groups;
  }

  /** What the review has left of the parts, each at its place. */
  inPlace(reviewed: readonly string[]): readonly string[] {
    const first = new Map<Group, number>();
    let count = 0;
    for (const group of this.#groups) {
      first.set(group, count);
      count += group.parts.length;
    }
    return this.#places.map(({ group, index }) => reviewed[(first.get(group) ?? 0) + index] ?? '');
  }

  /** Whether the review has left them all as they were. */
  isUnchanged(reviewed: readonly string[]): boolean {
    const parts = this.#groups.flatMap((group) => group.parts);
    return parts.every((part, index) => part === reviewed[index]);
  }
}
