// The syntax of model ids and the words their suffixes use. A catalog id is `<provider>/<name>` with at most one
// suffix; what a caller writes may be looser, and resolve.ts deals with that.

export const MODEL_ID_LENGTH_MAX = 200;

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._-]*(?::[A-Za-z0-9._-]+)?$/;
const PROVIDER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const SHORTCUTS = ['floor', 'nitro', 'online'] as const;
export type Shortcut = (typeof SHORTCUTS)[number];

/** Suffixes that may name a model of their own; where none exists, the base model answers. */
export const VARIANTS: ReadonlySet<string> = new Set(['free', 'extended', 'thinking', 'exacto']);

export const FREE_SUFFIX = ':free';

export const isModelId = (text: string): boolean => text.length <= MODEL_ID_LENGTH_MAX && ID.test(text);
export const isProviderName = (text: string): boolean => PROVIDER_NAME.test(text);

export function shortcutOf(suffix: string): Shortcut | null {
  return SHORTCUTS.find((shortcut) => shortcut === suffix) ?? null;
}

export const slugOf = (id: string): string => id.replace('/', '-');
export const vendorOf = (id: string): string => id.slice(0, id.indexOf('/'));
export const bareNameOf = (id: string): string => id.slice(id.indexOf('/') + 1);

/** In a version a dot and a hyphen mean the same: `sonnet-4.5` and `sonnet-4-5` are one spelling. */
export const spellingOf = (name: string): string => name.replaceAll('.', '-');
