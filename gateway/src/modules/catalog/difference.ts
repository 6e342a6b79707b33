// What changes between two config documents, as lines for people: `+ model a/b`, `~ model a/b: pricing.prompt 0.15 ->
// 0.2`, `- provider old`. Secrets are compared and never shown.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { ConfigDocument } from '../../contract/config.ts';
import { asciiOf, printable } from './config-problem.ts';
import { secretNames } from './protocols.ts';

const LINES_MAX = 500;

/** Sections whose entries have names of their own, and the word for one entry. */
const NAMED_SECTIONS = [
  ['providers', 'provider'],
  ['models', 'model'],
  ['routes', 'route'],
] as const;

export function describeDifference(before: ConfigDocument, after: ConfigDocument): string[] {
  const lines: string[] = [];
  for (const [section, word] of NAMED_SECTIONS) {
    compareEntries(word, before[section] ?? {}, after[section] ?? {}, lines);
  }
  const settingsBefore = leavesOf(settingsOf(before));
  compareLeaves('', settingsBefore, leavesOf(settingsOf(after)), lines);
  if (lines.length <= LINES_MAX) return lines;
  return [...lines.slice(0, LINES_MAX), `and ${lines.length - LINES_MAX} more`];
}

function settingsOf(document: ConfigDocument): JsonObject {
  const { providers: _providers, models: _models, routes: _routes, ...settings } = document;
  return settings;
}

function compareEntries(word: string, before: JsonObject, after: JsonObject, lines: string[]): void {
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(after, name)) lines.push(`- ${word} ${printable(name)}`);
  }
  for (const [name, entry] of Object.entries(after)) {
    if (!Object.hasOwn(before, name)) lines.push(`+ ${word} ${printable(name)}`);
    else compareLeaves(`${word} ${printable(name)}: `, leavesOf(before[name]), leavesOf(entry), lines);
  }
}

/** JSON text by path. */
type Leaves = ReadonlyMap<string, string>;

function compareLeaves(title: string, before: Leaves, after: Leaves, lines: string[]): void {
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const was = before.get(path);
    const is = after.get(path);
    if (was === is) continue;
    if (secretNames.has(path.slice(path.lastIndexOf('.') + 1))) lines.push(`~ ${title}${path} changed`);
    else lines.push(`~ ${title}${path} ${shown(was)} -> ${shown(is)}`);
  }
}

/** Text without its quotes, lists and numbers as JSON; long ones cut. */
function shown(json: string | undefined): string {
  if (json === undefined) return '(none)';
  if (json.startsWith('"')) return printable(JSON.parse(json));
  return asciiOf(json.length > 100 ? `${json.slice(0, 100)}...` : json);
}

/** Lists count as one value: their order matters and their items have no names. */
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
