// Searches a piece of a text for the data of templates, in every view of it, and answers the places in the text itself.

import { placesOf, readsAsWritten, type View, viewsOf } from '../visible-text.ts';
import type { Template, TextRange } from './template.ts';

/** The characters before a match decide whether it is one: digits before digits, letters before letters. */
const BEFORE = 64;
const REACH_DEFAULT = 512;

/** For many templates one after the other: the views of a piece may cost more than what is found in them. */
export class PieceSearch {
  #views: readonly View[] = [];
  #text = '';
  #from = 0;
  #to = 0;

  /** Matches of a template that begin between the two places. */
  find(template: Template, text: string, from: number, to: number): readonly TextRange[] {
    const { reach = REACH_DEFAULT } = template;
    const views = this.#viewsOf(text, Math.max(0, from - BEFORE), Math.min(text.length, to + reach));
    return views.flatMap((view) => findInView(template, view).filter(({ start }) => start >= from && start < to));
  }

  #viewsOf(text: string, from: number, to: number): readonly View[] {
    if (from === this.#from && to === this.#to && text === this.#text) return this.#views;
    this.#text = text;
    this.#from = from;
    this.#to = to;
    this.#views = viewsOf(text, from, to);
    return this.#views;
  }
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
