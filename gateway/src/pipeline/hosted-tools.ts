// What a provider runs for a model and charges for by the use: searches of the web, code, pictures. A call is sent with
// what somebody pays for and without the rest (forward.ts), and what it may come to is held before.

import type { Candidate } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { NO_PRICES } from '../canonical/price.ts';
import { type ConversationRequest, mentionsWeb, NO_HOSTED_TOOLS, WEB_PLUGIN, wantsWeb } from '../canonical/request.ts';
import type { Units, Usage } from '../canonical/usage.ts';
import { codecOf } from '../upstreams/registry.ts';

type Asked = Candidate & Readonly<{ isOnline?: boolean }>;

/** As many as the plugin lets a provider make where its protocol has a word for that. */
const PLUGIN_SEARCHES = 5;

/** Most requests offer nothing that a provider would do by itself. */
export const mayUseAny = ({ plugins, hostedTools }: ConversationRequest, { isOnline }: Asked): boolean =>
  isOnline === true || plugins.length > 0 || hostedTools !== NO_HOSTED_TOOLS;

/** `:online` after a model's name is as if the caller had sent the plugin. Whoever mentions it is taken at its word. */
export function withOnline(request: ConversationRequest, { isOnline }: Asked): ConversationRequest {
  if (isOnline !== true || mentionsWeb(request.plugins)) return request;
  return { ...request, plugins: [...request.plugins, WEB_PLUGIN] };
}

type LeftOut = Readonly<{ searches: boolean; others: boolean }>;

/** A customer pays its own upstream itself, so all tools stay; a free quota pays for none of them. */
function leftOut({ own, prices }: Candidate): LeftOut {
  if (own !== undefined) return { searches: false, others: false };
  if (prices === NO_PRICES) return { searches: true, others: true };
  return { searches: false, others: prices.base.hostedTool === null };
}

/** Everything that is not counted in tokens, at most. */
export function unitsMaxOf(request: CanonicalRequest, candidate: Asked): Units {
  if (request.operation !== 'chat' || !mayUseAny(request, candidate)) return request.unitsMax;
  const webSearches = searchesMax(request, candidate);
  const hostedTools = request.hostedTools.hasOthers && !leftOut(candidate).others ? 1 : 0;
  if (webSearches === 0 && hostedTools === 0) return request.unitsMax;
  return { ...request.unitsMax, webSearches, hostedTools };
}

function searchesMax(request: ConversationRequest, candidate: Asked): number {
  if (leftOut(candidate).searches) return 0;
  const { provider } = candidate;
  const format = codecOf(candidate, request)?.format;
  // Other formats have a tool for it, and no field that a provider could refuse.
  const takesPlugin = format !== 'chat' || provider.takesPlugins !== false;
  const byPlugin = takesPlugin && wantsWeb(withOnline(request, candidate).plugins) ? PLUGIN_SEARCHES : 0;
  // A body of another format is written anew, and has no place for the caller's own tools of this kind.
  return Math.max(byPlugin, format === request.format ? request.hostedTools.searchesMax : 0);
}

/** What the caller offered the model and this candidate did not get, in words for a header; null where nothing is. */
export function leftOutTools(request: CanonicalRequest, candidate: Asked): string | null {
  if (request.operation !== 'chat' || request.hostedTools === NO_HOSTED_TOOLS) return null;
  const { searchesMax: searches, hasOthers } = request.hostedTools;
  const isRewritten = codecOf(candidate, request)?.format !== request.format;
  const gone = leftOut(candidate);
  const names = [
    ...(searches > 0 && (isRewritten || gone.searches) ? ['web_search'] : []),
    ...(hasOthers && (isRewritten || gone.others) ? ['hosted_tools'] : []),
  ];
  return names.length === 0 ? null : names.join(', ');
}

/** The usage without uses of what was not on offer: some models search in any case, and their price includes it. */
export function withOfferedUses(usage: Usage, request: CanonicalRequest, candidate: Asked): Usage {
  const { units } = usage;
  if (units?.webSearches === undefined && units?.hostedTools === undefined) return usage;
  const unitsMax = unitsMaxOf(request, candidate);
  const { webSearches, hostedTools, ...others } = units;
  return {
    ...usage,
    units: {
      ...others,
      ...((unitsMax.webSearches ?? 0) > 0 && webSearches !== undefined ? { webSearches } : {}),
      ...((unitsMax.hostedTools ?? 0) > 0 && hostedTools !== undefined ? { hostedTools } : {}),
    },
  };
}
