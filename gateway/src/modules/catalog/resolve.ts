// Finds the model for the name that a caller wrote. Names are tried in a fixed order (the full id, then shorter and
// looser forms), and a name that could mean two models means none.

import type { Model, ResolvedModel } from '../../canonical/model.ts';
import type { AutoTable } from '../../contract/config.ts';
import { ApiError } from '../../errors/api-error.ts';
import { printable } from './config-problem.ts';
import { MODEL_ID_LENGTH_MAX, type Shortcut, shortcutOf, spellingOf, VARIANTS, vendorOf } from './model-names.ts';
import type { CatalogSnapshot } from './snapshot.ts';

export type ResolveOptions = Readonly<{
  /** Names without a vendor are accepted on the chat endpoint only. */
  allowBareName: boolean;
  nowMs: number;
}>;

const NAME = /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)?(?::[A-Za-z0-9._-]+)*$/;
const CACHED_NAMES_MAX = 10_000;

/** Throws `invalid_model_id`, `unknown_model`, `model_retired` or `model_not_priced`. */
export function resolve(snapshot: CatalogSnapshot, name: string, options: ResolveOptions): ResolvedModel {
  const cache = options.allowBareName ? snapshot.resolutions.anyNames : snapshot.resolutions.fullNames;
  let resolved = cache.get(name);
  if (resolved === undefined) {
    resolved = resolveAfresh(snapshot, name, options);
    // Clearing everything is enough: callers use far fewer spellings than this.
    if (cache.size >= CACHED_NAMES_MAX) cache.clear();
    cache.set(name, resolved);
  }
  const { model } = resolved;
  if (model.retiresAtMs !== null && options.nowMs >= model.retiresAtMs) throw retiredError(model.id);
  return resolved;
}

/** The table that `auto` and `auto:free` stand for; null for every other name. */
export function autoTableOf(snapshot: CatalogSnapshot, name: string): AutoTable | null {
  const short = withoutClientPrefix(snapshot, name);
  if (short === 'auto') return 'paid';
  return short === 'auto:free' ? 'free' : null;
}

export function retiredError(modelId: string): ApiError {
  return new ApiError(
    'model_retired',
    `The model ${printable(modelId)} has been retired. GET /v1/models lists those that can be called.`,
  );
}

function resolveAfresh(snapshot: CatalogSnapshot, name: string, options: ResolveOptions): ResolvedModel {
  if (autoTableOf(snapshot, name) !== null) {
    throw new ApiError('model_endpoint_mismatch', `"${printable(name)}" can only be the model of a conversation.`);
  }
  const parsed = parseName(withoutClientPrefix(snapshot, name));
  if (parsed === null) {
    throw new ApiError('invalid_model_id', `"${printable(name)}" is not a model id; the form is <provider>/<model>.`);
  }
  const ids = fullIdsOf(snapshot, parsed.base);
  const model = findModel(snapshot, ids, parsed, options);
  if (model === null) throw notFoundError(snapshot, name, { ids, suffix: suffixOf(parsed) }, options);
  if (model.prices === null && !model.routes.some((route) => route.prices !== null)) throw notPricedError(model.id);
  return {
    model,
    shortcuts: parsed.shortcuts,
    isFreeVariant: model.free !== null && parsed.variants.includes('free'),
  };
}

function withoutClientPrefix(snapshot: CatalogSnapshot, name: string): string {
  const { clientPrefix } = snapshot.naming;
  return name.startsWith(clientPrefix) ? name.slice(clientPrefix.length) : name;
}

type ParsedName = Readonly<{
  base: string;
  /** The suffixes without shortcuts. */
  variants: readonly string[];
  shortcuts: readonly Shortcut[];
}>;

function parseName(name: string): ParsedName | null {
  if (name.length > MODEL_ID_LENGTH_MAX || !NAME.test(name)) return null;
  const [base = '', ...suffixes] = name.split(':');
  const shortcuts = new Set<Shortcut>();
  const variants: string[] = [];
  for (const suffix of suffixes) {
    const shortcut = shortcutOf(suffix);
    if (shortcut === null) variants.push(suffix);
    else shortcuts.add(shortcut);
  }
  return { base, variants, shortcuts: [...shortcuts] };
}

/** The full ids that a name may stand for: itself, or with the prefixes of the naming rules. */
function fullIdsOf(snapshot: CatalogSnapshot, base: string): readonly string[] {
  if (base.includes('/')) return [base];
  return snapshot.naming.autoPrefixes
    .filter((rule) => base.startsWith(rule.startsWith))
    .map((rule) => `${rule.provider}/${base}`);
}

const suffixOf = ({ variants }: ParsedName): string => variants.map((variant) => `:${variant}`).join('');

function findModel(
  snapshot: CatalogSnapshot,
  ids: readonly string[],
  parsed: ParsedName,
  options: ResolveOptions,
): Model | null {
  const suffix = suffixOf(parsed);
  // A suffix first names a model of its own; only where there is none, and the suffix is a known variant, the base
  // model.
  const endings = suffix !== '' && parsed.variants.every((variant) => VARIANTS.has(variant)) ? [suffix, ''] : [suffix];
  for (const ending of endings) {
    for (const id of ids) {
      const found = unambiguous(snapshot.byId.find(id + ending), id);
      if (found !== null) return found;
    }
    if (!options.allowBareName || parsed.base.includes('/')) continue;
    const found = unambiguous(snapshot.byBareName.find(parsed.base + ending), parsed.base);
    if (found !== null) return found;
  }
  return null;
}

function unambiguous(found: Model | 'ambiguous' | null, name: string): Model | null {
  if (found !== 'ambiguous') return found;
  throw new ApiError(
    'unknown_model',
    `"${printable(name)}" could mean several models; use the full <provider>/<model> id.`,
  );
}

function notFoundError(
  snapshot: CatalogSnapshot,
  name: string,
  { ids, suffix }: Readonly<{ ids: readonly string[]; suffix: string }>,
  options: ResolveOptions,
): ApiError {
  for (const id of ids) {
    const retiredAtMs = snapshot.retirements.bySpelling.get(spellingOf(id));
    if (retiredAtMs !== undefined && options.nowMs >= retiredAtMs) return retiredError(id);
  }
  const { wildcards } = snapshot;
  const isRoutable = (id: string): boolean =>
    wildcards.everything !== null || wildcards.byVendor.has(vendorOf(id)) || wildcards.ids.has(id);
  const routable = ids.find(isRoutable);
  if (routable !== undefined) return notPricedError(routable + suffix);
  return new ApiError(
    'unknown_model',
    `There is no model "${printable(name)}". GET /v1/models lists those that can be called.`,
  );
}

function notPricedError(id: string): ApiError {
  return new ApiError(
    'model_not_priced',
    `The model ${printable(id)} has no price and cannot be called. Ask the operator of this gateway to set one.`,
  );
}
