// Searches a piece of a text for the data of templates, in every view of it, and answers the places in the text itself.

import { placesOf, readsAsWritten, type View, viewsOf } from '../visible-text.ts';
import type { Template, TextRange } from './template.ts';

/** The characters before a match decide whether it is one: digits before digits, letters before letters. */
const BEFORE = 64;
const REACH_DEFAULT = 512;

/** Matches of a template that begin between the two places. */
export function findInText(template: Template, text: string, from: number, to: number): readonly TextRange[] {
  const { reach = REACH_DEFAULT } = template;
  return viewsOf(text, Math.max(0, from - BEFORE), Math.min(text.length, to + reach)).flatMap((view) =>
    findInView(template, view).filter(({ start }) => start >= from && start < to),
  );
}

function findInView(template: Template, view: View): readonly TextRange[] {
  if (template.hint?.test(view.text) === false) return NONE;
  return template.find(view.text).map((match) => placesOf(view, match));
}

const NONE: readonly TextRange[] = [];

/** Whether a template may find something in a whole text. */
export function mayHold(templates: readonly Template[], text: string): boolean {
  if (templates.length === 0) return false;
  if (!readsAsWritten(text)) return true;
  for (const template of templates) {
    if (template.hint?.test(text) !== false && template.find(text).length > 0) return true;
  }
  return false;
}
