// What `:online` after a model's name means: as if the caller had sent the web plugin. A caller that mentions the plugin
// itself is taken at its word.

import type { CanonicalRequest } from '../canonical/operation.ts';
import { mentionsWeb, WEB_PLUGIN } from '../canonical/plugin.ts';

export function withWebPlugin(request: CanonicalRequest): CanonicalRequest {
  if (request.operation !== 'chat' || mentionsWeb(request.plugins)) return request;
  return { ...request, plugins: [...request.plugins, WEB_PLUGIN] };
}
