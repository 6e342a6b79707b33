// From the names a caller wrote to the models that may answer, the first choice first. Every spelling ends here: later
// stages see catalog models only, so no alias can slip past a check.

import type { Model, Resolution, ResolvedModel } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import type { AutoTable } from '../contract/config.ts';
import { readPromptText } from '../dialects/prompt-text.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Catalog } from '../modules/catalog/catalog.ts';
import { autoTableOf } from '../modules/catalog/resolve.ts';
import type { Classifier } from '../modules/routing/auto/classifier.ts';
import { promote } from '../modules/routing/auto/promote.ts';
import type { AutoInput } from '../modules/routing/auto/signals.ts';
import { unavailable } from './attempts/retry.ts';
import { canServe, isOfKind } from './authorize.ts';

type ResolveServices = Readonly<{ catalog: Pick<Catalog, 'current' | 'resolve'>; autoClassifier: Classifier }>;

/** Endpoints whose clients send model names without the vendor, as the vendor's own SDK does. */
const BARE_NAMED: ReadonlySet<string> = new Set(['chat', 'completions', 'moderation', 'rerank']);

export function resolve(request: CanonicalRequest, services: ResolveServices, nowMs: number): Resolution {
  const { catalog } = services;
  const options = { allowBareName: BARE_NAMED.has(request.format), nowMs };
  const table = autoTableOf(catalog.current(), request.modelName);
  const named: Resolution =
    table === null || request.operation !== 'chat'
      ? { primary: catalog.resolve(request.modelName, options), fallbacks: [], auto: null }
      : chooseAuto(request, table, services, nowMs);
  if (request.fallbackModelNames.length === 0) return named;
  const fallbacks = [...named.fallbacks];
  const seen = new Set([named.primary, ...fallbacks].map(({ model }) => model.id));
  for (const name of request.fallbackModelNames) {
    const fallback = resolveFallback(name, catalog, options);
    if (fallback === null || seen.has(fallback.model.id)) continue;
    seen.add(fallback.model.id);
    fallbacks.push(fallback);
  }
  return { ...named, fallbacks };
}

/**
 * A retired fallback model is skipped, because fallbacks exist for such cases; a name that was never known is refused.
 */
function resolveFallback(
  name: string,
  catalog: ResolveServices['catalog'],
  options: Readonly<{ allowBareName: boolean; nowMs: number }>,
): ResolvedModel | null {
  try {
    return catalog.resolve(name, options);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'model_retired') return null;
    throw error;
  }
}

// `auto` and `auto:free`: the request is scored into a tier, and the tier's models take the place of the name.
// Everything comes from the live catalog, so an operator's change counts from the next call on.

function chooseAuto(
  request: ConversationRequest,
  table: AutoTable,
  services: ResolveServices,
  nowMs: number,
): Resolution {
  const score = services.autoClassifier.classify(inputOf(request));
  const { tier, promotedFrom } = promote(score);
  const setting = services.catalog.current().auto[table].get(tier);
  if (setting === undefined || !setting.isEnabled) {
    throw unavailable(`The auto router's tier "${tier}" is disabled. Name a model instead.`, { isTerminal: true });
  }
  const usable = usableModels(request, setting.modelNames, services, nowMs);
  // A model of the free table is free for callers who come through it, whether or not its own name is free.
  const [primary, ...fallbacks] = table === 'free' ? usable.map(asFreeVariant) : usable;
  if (primary === undefined) {
    const message = `The auto router's tier "${tier}" has no model that can serve this request.`;
    throw unavailable(message, { isTerminal: true });
  }
  const { confidence, signals } = score;
  return { primary, fallbacks, auto: { table, tier, promotedFrom, confidence, signals } };
}

const asFreeVariant = (resolved: ResolvedModel): ResolvedModel => ({ ...resolved, isFreeVariant: true });

function inputOf(request: ConversationRequest): AutoInput {
  const { lastUserText, systemText, toolNames } = readPromptText(request.body);
  return {
    text: lastUserText,
    context: [systemText, ...toolNames.map((name) => name.replaceAll('_', ' '))].join(' ').trim(),
    needs: request.needs,
    messageCount: request.messageCount,
    promptTokens: request.promptTokensEstimate,
  };
}

function usableModels(
  request: ConversationRequest,
  names: readonly string[],
  { catalog }: ResolveServices,
  nowMs: number,
): readonly ResolvedModel[] {
  const models: ResolvedModel[] = [];
  for (const name of names) {
    const resolved = resolveIfSold(name, catalog, nowMs);
    if (resolved === null || models.some(({ model }) => model === resolved.model)) continue;
    if (isOfKind(resolved.model, request)) models.push(resolved);
  }
  // Where the request is too large for every model, the first one stays and its error says what is too large.
  const fitting = models.filter(({ model }) => canServe(model, request));
  const roomy = fitting.filter(({ model }) => holds(model, request));
  return [roomy, fitting].find(({ length }) => length > 0) ?? models;
}

/** A model that was retired or lost its price since the table was written is passed over. */
function resolveIfSold(name: string, catalog: ResolveServices['catalog'], nowMs: number): ResolvedModel | null {
  try {
    return catalog.resolve(name, { allowBareName: false, nowMs });
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function holds({ contextLength }: Model, { promptTokensEstimate }: ConversationRequest): boolean {
  return contextLength === null || promptTokensEstimate <= contextLength;
}
