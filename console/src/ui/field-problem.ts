// What is wrong with one field, as the gateway says it (`settings.budget: must be an amount.`) or as a form finds it
// itself.

import { ApiProblem } from '../api/problem.ts';

export type FieldProblem = Readonly<{ name: string; text: string }>;

/** Thrown by whatever reads a form, about a field that it cannot read. */
export class FieldMistake extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = 'FieldMistake';
    this.field = field;
  }
}

const ABOUT_FIELD = /^([A-Za-z_][\w-]*(?:\.[\w-]+)*): (.+)$/s;

/** The problem, where it is about a field that the form has; of a path, the innermost part that it has. */
export function problemAmong(error: unknown, hasField: (name: string) => boolean): FieldProblem | null {
  if (error instanceof FieldMistake) {
    return hasField(error.field) ? { name: error.field, text: error.message } : null;
  }
  const [, path, words] = (error instanceof ApiProblem && ABOUT_FIELD.exec(error.message)) || [];
  if (path === undefined || words === undefined) return null;
  const name = [path, ...path.split('.').toReversed()].find(hasField);
  return name === undefined ? null : { name, text: sentence(words) };
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
