// Looks for a template's data in a piece of a text, in every view of it, and names the places in the text itself.

import { placesOf, viewsOf } from '../visible-text.ts';
import type { Found, Template } from './template.ts';

/** What goes before a match decides whether it is one: digits before digits, letters before letters. */
const BEFORE = 64;
const REACH_DEFAULT = 512;

/** Those that begin between the two places. */
export function findInText(template: Template, text: string, from: number, to: number): readonly Found[] {
  const found: Found[] = [];
  const { reach = REACH_DEFAULT } = template;
  for (const view of viewsOf(text, Math.max(0, from - BEFORE), Math.min(text.length, to + reach))) {
    for (const match of template.find(view.text)) {
      const place = placesOf(view, match);
      if (place.start >= from && place.start < to) found.push(place);
    }
  }
  return found;
}
