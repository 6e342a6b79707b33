// The difference between two config documents, as lines for people: `+ model a/b`, `~ model a/b: pricing.prompt 0.15 ->
// 0.2`, `- provider old`. Secrets are compared and never shown.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { ConfigDocument } from '../../contract/config.ts';
import { asciiOf, printable } from './config-problem.ts';
import { secretNames } from './protocols.ts';

const LINES_MAX = 500;
const EMPTY = JSON.stringify('');
const KEY_OF_SEVERAL = /^api_keys\..+\.key$/;

/** Sections whose entries have names of their own, and the word for one entry. */
const NAMED_SECTIONS = [
  ['providers', 'provider'],
  ['models', 'model'],
  ['routes', 'route'],
  ['markups', 'markup'],
  ['guards', 'guard'],
] as const;

export type Difference = Readonly<{
  changes: readonly string[];
  /** Those of the changes that remove something: an entry, a setting, an item of a list. */
  removals: readonly string[];
}>;

type Line = Readonly<{ text: string; isRemoval: boolean }>;

export function describeDifference(before: ConfigDocument, after: ConfigDocument): Difference {
  const lines: Line[] = [];
  for (const [section, word] of NAMED_SECTIONS) {
    compareEntries(word, before[section] ?? {}, after[section] ?? {}, lines);
  }
  const settingsBefore = leavesOf(settingsOf(before));
  compareLeaves('', settingsBefore, leavesOf(settingsOf(after)), lines);
  return { changes: shortened(lines), removals: shortened(lines.filter(({ isRemoval }) => isRemoval)) };
}

function shortened(lines: readonly Line[]): string[] {
  const shown = lines.slice(0, LINES_MAX).map(({ text }) => text);
  return lines.length <= LINES_MAX ? shown : [...shown, `and ${lines.length - LINES_MAX} more`];
}

function settingsOf(document: ConfigDocument): JsonObject {
  const named = new Set<string>(NAMED_SECTIONS.map(([section]) => section));
  return Object.fromEntries(Object.entries(document).filter(([section]) => !named.has(section)));
}

function compareEntries(word: string, before: JsonObject, after: JsonObject, lines: Line[]): void {
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(after, name)) lines.push({ text: `- ${word} ${printable(name)}`, isRemoval: true });
  }
  for (const [name, entry] of Object.entries(after)) {
    if (!Object.hasOwn(before, name)) lines.push({ text: `+ ${word} ${printable(name)}`, isRemoval: false });
    else compareLeaves(`${word} ${printable(name)}: `, leavesOf(before[name]), leavesOf(entry), lines);
  }
}

/** JSON text by path. */
type Leaves = ReadonlyMap<string, string>;

function compareLeaves(title: string, before: Leaves, after: Leaves, lines: Line[]): void {
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const was = before.get(path);
    const is = after.get(path);
    if (was === is) continue;
    const isSecret = secretNames.has(path.slice(path.lastIndexOf('.') + 1)) || KEY_OF_SEVERAL.test(path);
    const text = isSecret ? `${path} ${secretChange(was, is)}` : `${path} ${shown(was)} -> ${shown(is)}`;
    // An empty key is none: a variable that is set to nothing must not take one away unseen.
    const isEmptied = isSecret && was !== undefined && is === EMPTY;
    lines.push({ text: `~ ${title}${text}`, isRemoval: isEmptied || isLess(was, is) });
  }
}

/** Of a secret it is said that it changed, and not into what. */
function secretChange(was: string | undefined, is: string | undefined): string {
  if (was === undefined) return 'added';
  return is === undefined ? 'removed' : 'changed';
}

/** A setting that is gone, or a list that has lost an item; a changed value removes nothing. */
function isLess(was: string | undefined, is: string | undefined): boolean {
  if (was === undefined || is === undefined) return is === undefined;
  const [before, after]: unknown[] = [JSON.parse(was), JSON.parse(is)];
  return Array.isArray(before) && Array.isArray(after) && after.length < before.length;
}

/** Text without its quotes, lists and numbers as JSON; long ones cut. */
function shown(json: string | undefined): string {
  if (json === undefined) return '(none)';
  if (json.startsWith('"')) return printable(JSON.parse(json));
  return asciiOf(json.length > 100 ? `${json.slice(0, 100)}...` : json);
}

/** A list counts as one value, because its order matters and its items have no names. */
function leavesOf(value: unknown): Leaves {
  const leaves = new Map<string, string>();
  const visit = (item: unknown, path: string): void => {
    if (isJsonObject(item)) {
      for (const [key, inner] of Object.entries(item)) visit(inner, path === '' ? key : `${path}.${key}`);
    } else if (item !== undefined) {
      leaves.set(path, JSON.stringify(item));
    }
  };
  visit(value, '');
  return leaves;
}
