// Looks for the data of templates in a piece of a text, in every view of it, and names the places in the text itself.

import { placesOf, type View, viewsOf } from '../visible-text.ts';
import type { Found, Template } from './template.ts';

/** What goes before a match decides whether it is one: digits before digits, letters before letters. */
const BEFORE = 64;
const REACH_DEFAULT = 512;

/** For each template, those that begin between the two places. Views are made once for all that reach equally far. */
export function findInText(
  templates: readonly Template[],
  text: string,
  from: number,
  to: number,
): readonly (readonly Found[])[] {
  const viewsByReach = new Map<number, readonly View[]>();
  return templates.map((template) => {
    const { reach = REACH_DEFAULT } = template;
    const views =
      viewsByReach.get(reach) ?? viewsOf(text, Math.max(0, from - BEFORE), Math.min(text.length, to + reach));
    viewsByReach.set(reach, views);
    return views
      .flatMap((view) => template.find(view.text).map((match) => placesOf(view, match)))
      .filter(({ start }) => start >= from && start < to);
  });
}
