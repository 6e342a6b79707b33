// Plugins that a caller adds to a call. Most are for the upstream; shortening a prompt that is too long is done here,
// so that one is never sent on.

import { isJsonObject, type JsonObject } from '../canonical/json.ts';
import { NO_PLUGINS } from '../canonical/request.ts';
import { refuseField } from './refuse.ts';

const PLUGINS_MAX = 64;
const COMPRESSION = 'context-compression';

/** The `plugins` of a body; refuses anything but a list of plugins. */
function parsePlugins(body: JsonObject): readonly JsonObject[] {
  const { plugins } = body;
  if (plugins === undefined || plugins === null) return NO_PLUGINS;
  if (!Array.isArray(plugins) || plugins.length > PLUGINS_MAX) {
    throw refuseField('plugins', `must be an array of at most ${PLUGINS_MAX} plugins`);
  }
  for (const [index, plugin] of plugins.entries()) {
    if (!isJsonObject(plugin)) throw refuseField(`plugins[${index}]`, 'must be an object');
    if (typeof plugin.id !== 'string') throw refuseField(`plugins[${index}].id`, 'must be a string');
    const { enabled } = plugin;
    if (enabled !== undefined && typeof enabled !== 'boolean') {
      throw refuseField(`plugins[${index}].enabled`, 'must be a boolean');
    }
  }
  return plugins;
}

/** Undefined when the caller does not mention it. */
export function compressionPlugin(body: JsonObject): JsonObject | undefined {
  return parsePlugins(body).find(({ id }) => id === COMPRESSION);
}

/** The plugins for the upstream. */
export function upstreamPlugins(body: JsonObject): readonly JsonObject[] {
  const plugins = parsePlugins(body);
  return plugins.some(({ id }) => id === COMPRESSION) ? plugins.filter(({ id }) => id !== COMPRESSION) : plugins;
}
