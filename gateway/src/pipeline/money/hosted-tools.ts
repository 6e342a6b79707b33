// Tools that the provider runs itself and charges by the use: web searches, code, pictures. A call is sent with the
// tools that somebody pays for and without the others (forward.ts), and the most that they may cost is held before.

import type { JsonObject } from '../../canonical/json.ts';
import type { Candidate } from '../../canonical/model.ts';
import type { CanonicalRequest } from '../../canonical/operation.ts';
import { NO_PRICES } from '../../canonical/price.ts';
import {
  type ConversationRequest,
  mentionsWeb,
  NO_HOSTED_TOOLS,
  WEB_PLUGIN,
  wantsWeb,
} from '../../canonical/request.ts';
import type { Units, Usage } from '../../canonical/usage.ts';
import { isPaidPlugin, passesPlugin } from '../../dialects/forwarding/policy.ts';
import { codecOf } from '../../upstreams/registry.ts';

type Asked = Candidate & Readonly<{ isOnline?: boolean }>;

/** As many searches as the plugin allows where the provider's protocol has a field for a limit. */
const PLUGIN_SEARCHES = 5;

/** Most requests offer no tool that the provider would run itself. */
export const mayUseAny = ({ plugins, hostedTools }: ConversationRequest, { isOnline }: Asked): boolean =>
  isOnline === true || plugins.length > 0 || hostedTools !== NO_HOSTED_TOOLS;

/** `:online` after a model's name stands for the web plugin. A plugin that the caller sent itself is kept as it is. */
export function withOnline(request: ConversationRequest, { isOnline }: Asked): ConversationRequest {
  if (isOnline !== true || mentionsWeb(request.plugins)) return request;
  return { ...request, plugins: [...request.plugins, WEB_PLUGIN] };
}

type LeftOut = Readonly<{ searches: boolean; others: boolean }>;

/** A customer pays its own upstream itself, so all tools stay; a free quota pays for none of them. */
function leftOut(request: ConversationRequest, candidate: Candidate): LeftOut {
  const codec = codecOf(candidate, request);
  if (codec?.lacksHostedTools === true) return { searches: true, others: true };
  const { own, prices } = candidate;
  const offersOwn = request.needs.tools || request.offersPlainTools === true;
  const searches = codec?.searchesAlone === true && offersOwn;
  if (own !== undefined) return { searches, others: false };
  if (prices === NO_PRICES) return { searches: true, others: true };
  return { searches, others: prices.base.hostedTool === null };
}

/** The most that the call may use of everything that is not counted in tokens. */
export function unitsMaxOf(request: CanonicalRequest, candidate: Asked): Units {
  if (request.operation !== 'chat' || !mayUseAny(request, candidate)) return request.unitsMax;
  const webSearches = searchesMax(request, candidate);
  const offered = request.hostedTools.hasOthers && !leftOut(request, candidate).others ? 1 : 0;
  const hostedTools = offered + pluginRuns(request, candidate);
  if (webSearches === 0 && hostedTools === 0) return request.unitsMax;
  return { ...request.unitsMax, webSearches, hostedTools };
}

function searchesMax(request: ConversationRequest, candidate: Asked): number {
  if (leftOut(request, candidate).searches) return 0;
  const format = codecOf(candidate, request)?.format;
  const byPlugin =
    takesWeb(request, candidate) && wantsWeb(withOnline(request, candidate).plugins) ? PLUGIN_SEARCHES : 0;
  // A request that is translated to another format loses the caller's own tools of this kind.
  return Math.max(byPlugin, format === request.format ? request.hostedTools.searchesMax : 0);
}

/** The tools that the caller offered and this candidate did not get, as text for a header; null where it got all. */
export function leftOutTools(request: CanonicalRequest, candidate: Asked): string | null {
  if (request.operation !== 'chat' || !mayUseAny(request, candidate)) return null;
  const { searchesMax: searches, hasOthers } = request.hostedTools;
  const codec = codecOf(candidate, request);
  const isRewritten = codec?.format !== request.format;
  const { plugins } = withOnline(request, candidate);
  const gone = leftOut(request, candidate);
  const isOffline = wantsWeb(plugins) && (gone.searches || !takesWeb(request, candidate));
  const names = [
    ...(isOffline || (searches > 0 && (isRewritten || gone.searches)) ? ['web_search'] : []),
    ...(hasOthers && (isRewritten || gone.others) ? ['hosted_tools'] : []),
    ...plugins.filter((plugin) => !isSent(plugin, request, candidate)).map(({ id }) => wordOf(id)),
  ];
  return names.length === 0 ? null : [...new Set(names)].join(', ');
}

/** Other formats have a tool for web searches, and no plugin field that a provider could refuse. */
const takesWeb = (request: ConversationRequest, candidate: Candidate): boolean =>
  codecOf(candidate, request)?.format !== 'chat' || candidate.provider.takesPlugins !== false;

/** Whether this candidate got a plugin. Searches are told by the name of their tool, and one that is off is not missed. */
function isSent(plugin: JsonObject, request: ConversationRequest, candidate: Candidate): boolean {
  if (plugin.enabled === false || plugin.id === WEB_PLUGIN.id) return true;
  // Only one format has a field for plugins.
  if (codecOf(candidate, request)?.format !== 'chat' || candidate.provider.takesPlugins === false) return false;
  const { searches, others } = leftOut(request, candidate);
  return candidate.own !== undefined || passesPlugin(plugin.id, { searches: !searches, hostedTools: !others });
}

const FILE_READER = 'file-parser';

/** No provider counts its plugins: those that cost something run once with each call, unless there is nothing to read. */
function pluginRuns(request: ConversationRequest, candidate: Asked): number {
  const { plugins, needs } = request;
  const isRun = (plugin: JsonObject): boolean =>
    isPaidPlugin(plugin.id) &&
    plugin.enabled !== false &&
    (plugin.id !== FILE_READER || needs.fileInput) &&
    isSent(plugin, request, candidate);
  return new Set(plugins.filter(isRun).map(({ id }) => id)).size;
}

const HEADER_WORD = /^[\w.-]{1,64}$/;

/** A caller's own word, as far as a header can have it. */
const wordOf = (id: unknown): string => (typeof id === 'string' && HEADER_WORD.test(id) ? id : 'plugins');

/**
 * The usage with the plugins that ran, and without tools that were not offered: some models search in any case, and
 * their price includes it.
 */
export function withOfferedUses(usage: Usage, request: CanonicalRequest, candidate: Asked): Usage {
  const runs = request.operation === 'chat' && request.plugins.length > 0 ? pluginRuns(request, candidate) : 0;
  if (usage.units?.webSearches === undefined && usage.units?.hostedTools === undefined && runs === 0) return usage;
  const unitsMax = unitsMaxOf(request, candidate);
  const { webSearches, hostedTools = 0, ...others } = usage.units ?? {};
  const used = (unitsMax.hostedTools ?? 0) > runs ? hostedTools + runs : runs;
  return {
    ...usage,
    units: {
      ...others,
      ...((unitsMax.webSearches ?? 0) > 0 && webSearches !== undefined ? { webSearches } : {}),
      ...(used > 0 ? { hostedTools: used } : {}),
    },
  };
}
