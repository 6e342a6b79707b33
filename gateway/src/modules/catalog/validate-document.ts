// Turns an unknown value into a config document that can be served, or lists every reason why not (up to a bound). The
// schema checks shapes; this file checks which of them fit together.

import { TypeCompiler, type ValueError, ValueErrorType } from '@sinclair/typebox/compiler';
import { isDay } from '../../canonical/calendar.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { AUTO_TABLES, ConfigDocument, type ModelEntry, type ModerationEntry } from '../../contract/config.ts';
import type { GuardEntry } from '../../contract/config-guards.ts';
import { MAIN_KEY, type ProviderEntry } from '../../contract/config-providers.ts';
import {
  ConfigDocumentError,
  type PathSegment,
  pathOfPointer,
  printable,
  problemAt,
  suggestion,
} from './config-problem.ts';
import { FREE_SUFFIX, isModelId, isProviderName, shortcutOf, slugOf } from './model-names.ts';
import { toNormalForm } from './normal-form.ts';
import { hasReference, interpolate, type Variables } from './parse-document.ts';
import { extraProblems, missingPrices, modelPriceProblems, pricingProblems, tierProblems } from './prices.ts';
import { addressOf, settingProblems } from './protocols.ts';

const PROBLEMS_MAX = 25;

const validator = TypeCompiler.Compile(ConfigDocument);

export type DocumentRules = Readonly<{
  familyNames: Iterable<string>;
  /** Values that are filled in when a snapshot is made and stay references in the document. */
  lateVariables: Variables;
}>;

export function validateDocument(raw: JsonObject, rules: DocumentRules): ConfigDocument {
  const document: unknown = toNormalForm(raw);
  const unreadable = [...unreadableNames(document, [])];
  if (unreadable.length > 0) throw new ConfigDocumentError(unreadable.slice(0, PROBLEMS_MAX));
  if (!validator.Check(document)) throw new ConfigDocumentError(schemaProblems(document));
  const problems = [...semanticProblems(document, rules)];
  if (problems.length > 0) throw new ConfigDocumentError(problems.slice(0, PROBLEMS_MAX));
  return document;
}

/** The patterns of a schema pass over names with line breaks, and what such a name holds would go unseen. */
function* unreadableNames(value: unknown, path: readonly PathSegment[]): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (/[\n\r\u2028\u2029]/.test(name)) yield problemAt([...path, name], 'a name is one line');
    else yield* unreadableNames(inner, [...path, name]);
  }
}

function schemaProblems(document: unknown): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const error of validator.Errors(document)) {
    // A missing value is reported twice, for its absence and for its type, so the second is dropped.
    if (seen.has(error.path)) continue;
    seen.add(error.path);
    problems.push(problemAt(pathOfPointer(error.path, document), schemaMessage(error)));
    if (problems.length === PROBLEMS_MAX) break;
  }
  return problems;
}

function schemaMessage(error: ValueError): string {
  const { schema } = error;
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    const key = error.path.slice(error.path.lastIndexOf('/') + 1);
    return `unknown key${suggestion(key, Object.keys(schema.properties ?? {}))}`;
  }
  if (error.type === ValueErrorType.ObjectRequiredProperty) return 'is missing';
  return `expected ${schema.description ?? (schema.type === 'object' ? 'a mapping of keys' : `a value of type ${schema.type}`)}`;
}

function* semanticProblems(document: ConfigDocument, rules: DocumentRules): Generator<string> {
  const providers = new Map(Object.entries(document.providers ?? {}));
  for (const [name, provider] of providers) yield* providerProblems(name, provider, rules.lateVariables);
  const families = new Set(rules.familyNames);
  const models = new Map(Object.entries(document.models ?? {}));
  for (const [id, model] of models) {
    for (const { path, message } of modelProblems(id, model, { providers, families })) {
      yield problemAt(['models', id, ...path], message);
    }
  }
  yield* nameProblems(models);
  yield* routingProblems(document, providers);
  yield* markupProblems(document, models);
  yield* autoProblems(document, models);
  yield* moderationProblems(document.moderation ?? {});
  yield* guardProblems(document.guards ?? {});
}

const GUARDS_MAX = 5;
const NAME_LENGTH_MAX = 100;

function* guardProblems(guards: Readonly<Record<string, GuardEntry>>): Generator<string> {
  if (Object.keys(guards).length > GUARDS_MAX) yield problemAt(['guards'], `there are at most ${GUARDS_MAX}`);
  for (const [name, { url, api_key: apiKey }] of Object.entries(guards)) {
    if (name.trim() === '' || name.length > NAME_LENGTH_MAX)
      yield problemAt(['guards', name], `a name has 1 to ${NAME_LENGTH_MAX} characters`);
    const problem = urlProblem(url);
    if (problem !== null) yield problemAt(['guards', name, 'url'], problem);
    if (apiKey !== undefined && !isSendable(apiKey)) yield problemAt(['guards', name, 'api_key'], UNSENDABLE);
  }
}

const UNSENDABLE = 'holds characters that cannot be sent in a header, or an unset variable';
const isSendable = (apiKey: string): boolean => !hasReference(apiKey) && !/[^\x20-\x7e]/.test(apiKey);

function* moderationProblems({ provider, base_url: baseUrl, api_key: apiKey }: ModerationEntry): Generator<string> {
  const problem = baseUrl === undefined ? null : urlProblem(baseUrl);
  if (problem !== null) yield problemAt(['moderation', 'base_url'], problem);
  if (baseUrl !== undefined && provider !== undefined) {
    yield problemAt(['moderation', 'provider'], 'is either built in or off, or there is a base_url instead');
  }
  if (apiKey !== undefined && !isSendable(apiKey)) yield problemAt(['moderation', 'api_key'], UNSENDABLE);
}

function* providerProblems(name: string, provider: ProviderEntry, lateVariables: Variables): Generator<string> {
  const path = ['providers', name];
  if (!isProviderName(name))
    yield problemAt(path, 'a provider name holds letters, digits, dots, hyphens and underscores');
  const misfits = settingProblems(provider, suggestion);
  for (const { name: member, message } of misfits) yield problemAt([...path, member], message);
  const address = addressOf(provider);
  if (address === null) {
    // Where a setting that the address is made from is missing, that setting is reported instead of the address.
    if (misfits.length === 0) yield problemAt([...path, 'base_url'], 'is missing');
    return;
  }
  yield* secretProblems(path, provider);
  let baseUrl: string;
  try {
    baseUrl = String(interpolate({ url: address ?? '' }, lateVariables, new Set()).url);
  } catch (error) {
    if (!(error instanceof ConfigDocumentError)) throw error;
    yield problemAt(
      [...path, 'base_url'],
      'names a variable that is not set; variables are replaced in config files only',
    );
    return;
  }
  const problem = urlProblem(baseUrl);
  if (problem !== null) yield problemAt([...path, 'base_url'], problem);
}

/** Settings may have several lines, but an API key becomes a header. */
function* secretProblems(path: readonly string[], provider: ProviderEntry): Generator<string> {
  for (const [name, value] of Object.entries(provider)) {
    if (name === 'base_url' || typeof value !== 'string') continue;
    if (hasReference(value)) {
      yield problemAt([...path, name], 'names a variable; variables are replaced in config files only');
    }
  }
  if (provider.api_key !== undefined && /[^\x20-\x7e]/.test(provider.api_key)) {
    yield problemAt([...path, 'api_key'], 'holds characters that cannot be sent in a header');
  }
  for (const [name, { key }] of Object.entries(provider.api_keys ?? {})) {
    const place = [...path, 'api_keys', name];
    if (hasReference(key)) yield problemAt(place, 'names a variable; variables are replaced in config files only');
    if (/[^\x20-\x7e]/.test(key)) yield problemAt(place, 'holds characters that cannot be sent in a header');
    if (name === MAIN_KEY && provider.api_key !== undefined) {
      yield problemAt(place, 'is what api_key is called; give it another name, or leave api_key out');
    }
  }
}

/** The URL itself is not repeated: it may hold a password. */
function urlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must start with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user or password; use api_key';
  if (url.search !== '' || url.hash !== '') return 'must not hold a query or fragment';
  return null;
}

type Problem = Readonly<{ path: readonly PathSegment[]; message: string }>;
type Known = Readonly<{ providers: ReadonlyMap<string, ProviderEntry>; families: ReadonlySet<string> }>;

function* modelProblems(id: string, model: ModelEntry, known: Known): Generator<Problem> {
  if (!isModelId(id)) {
    yield { path: [], message: 'a model id is <provider>/<name>, with one slash and at most one :suffix' };
  } else if (shortcutOf(id.slice(id.indexOf(':') + 1)) !== null) {
    yield { path: [], message: 'this suffix is a routing shortcut and cannot be part of an id' };
  }
  if (model.family !== undefined && !known.families.has(model.family)) {
    yield { path: ['family'], message: `no family named "${model.family}"${suggestion(model.family, known.families)}` };
  }
  if (model.deprecation_date !== undefined && !isDay(model.deprecation_date)) {
    yield { path: ['deprecation_date'], message: `there is no day ${model.deprecation_date}` };
  }
  yield* modelPriceProblems(model);
  for (const [index, route] of (model.routes ?? []).entries()) {
    const path = ['routes', index];
    if (!known.providers.has(route.provider)) {
      yield { path: [...path, 'provider'], message: noProvider(route.provider, known.providers) };
    }
    yield* extraProblems(route.extras, [...path, 'extras']);
    yield* tierProblems(route.pricing_tiers, [...path, 'pricing_tiers']);
    if (route.pricing_tiers !== undefined && Object.keys({ ...model.pricing, ...route.pricing }).length === 0) {
      yield { path: [...path, 'pricing_tiers'], message: 'tiers need base prices under "pricing"' };
    }
    if (route.pricing === undefined || Object.keys(route.pricing).length === 0) continue;
    yield* pricingProblems(route.pricing, [...path, 'pricing']);
    if (model.pricing === undefined) {
      yield* missingPrices(model, route.pricing).map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
    }
  }
}

const noProvider = (name: string, providers: ReadonlyMap<string, unknown>): string =>
  `no provider named "${printable(name)}"${suggestion(name, providers.keys())}`;

/** Two ids with one slug could not both be looked up, and a free tier makes a `:free` id of its own. */
function* nameProblems(models: ReadonlyMap<string, ModelEntry>): Generator<string> {
  const idOfSlug = new Map<string, string>();
  for (const [id, model] of models) {
    const ids = model.free === undefined || id.endsWith(FREE_SUFFIX) ? [id] : [id, id + FREE_SUFFIX];
    for (const listed of ids) {
      const slug = slugOf(listed);
      const other = idOfSlug.get(slug);
      if (other !== undefined)
        yield problemAt(['models', id], `has the slug "${printable(slug)}", which ${printable(other)} has too`);
      idOfSlug.set(slug, listed);
    }
  }
}

function* markupProblems({ markups = {} }: ConfigDocument, models: ReadonlyMap<string, ModelEntry>): Generator<string> {
  for (const [pattern, { add = {} }] of Object.entries(markups)) {
    const path = ['markups', pattern];
    if (!isPattern(pattern) && !models.has(pattern)) {
      const known = suggestion(pattern, models.keys());
      yield problemAt(path, `a markup is for "*", "<provider>/*" or a model of the document${known}`);
    }
    for (const problem of pricingProblems(add, ['add'])) yield problemAt([...path, ...problem.path], problem.message);
  }
}

const isPattern = (name: string): boolean => name === '*' || (name.endsWith('/*') && isProviderName(name.slice(0, -2)));

function* routingProblems(document: ConfigDocument, providers: ReadonlyMap<string, ProviderEntry>): Generator<string> {
  for (const [pattern, route] of Object.entries(document.routes ?? {})) {
    if (!isPattern(pattern) && !isModelId(pattern)) {
      yield problemAt(['routes', pattern], 'a route is for "*", "<provider>/*" or one full model id');
    }
    if (!providers.has(route.provider)) {
      yield problemAt(['routes', pattern, 'provider'], noProvider(route.provider, providers));
    }
  }
  const fallback = document.default_provider;
  if (fallback !== undefined && !providers.has(fallback))
    yield problemAt(['default_provider'], noProvider(fallback, providers));
}

function* autoProblems(document: ConfigDocument, models: ReadonlyMap<string, ModelEntry>): Generator<string> {
  for (const table of AUTO_TABLES) {
    for (const [tier, entry] of Object.entries(document.auto?.[table] ?? {})) {
      const path = ['auto', table, tier];
      const names = entry.models ?? [];
      if (names.length === 0 && entry.enabled !== false)
        yield problemAt([...path, 'models'], 'an enabled tier needs a model');
      for (const [index, name] of names.entries()) {
        const isFreeName =
          name.endsWith(FREE_SUFFIX) && models.get(name.slice(0, -FREE_SUFFIX.length))?.free !== undefined;
        if (models.has(name) || isFreeName) continue;
        yield problemAt(
          [...path, 'models', index],
          `no model named "${printable(name)}"${suggestion(name, models.keys())}`,
        );
      }
    }
  }
}
