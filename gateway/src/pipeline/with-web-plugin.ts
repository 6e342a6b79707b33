// What `:online` after a model's name means: as if the caller had sent the web plugin. It is a wish to the upstream, so
// it goes only into formats that have a place for it.

import { isJsonObject } from '../canonical/json.ts';
import type { CanonicalRequest } from '../canonical/request.ts';

const WEB_PLUGIN_ID = 'web';

export function withWebPlugin(request: CanonicalRequest): CanonicalRequest {
  if (request.format === 'messages') return request;
  const plugins: readonly unknown[] = Array.isArray(request.body.plugins) ? request.body.plugins : [];
  const isPresent = plugins.some((plugin) => isJsonObject(plugin) && plugin.id === WEB_PLUGIN_ID);
  if (isPresent) return request;
  return { ...request, body: { ...request.body, plugins: [...plugins, { id: WEB_PLUGIN_ID }] } };
}
