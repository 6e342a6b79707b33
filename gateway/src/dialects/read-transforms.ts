// How a caller allows a prompt that is too long to be shortened; the field is the same in every dialect. Leaving it out
// and allowing nothing are different.

import type { JsonObject } from '../canonical/json.ts';
import { ApiError } from '../errors/api-error.ts';
import { compressionPlugin } from './plugins.ts';
import { refuseField } from './refuse.ts';

const MIDDLE_OUT = 'middle-out';

/** Null when the caller does not say. The field itself counts before the plugin of the same meaning. */
export function readTransforms(body: JsonObject): readonly string[] | null {
  const { transforms } = body;
  if (transforms === undefined || transforms === null) {
    const plugin = compressionPlugin(body);
    if (plugin === undefined) return null;
    return plugin.enabled === false ? [] : [MIDDLE_OUT];
  }
  if (!Array.isArray(transforms)) throw refuseField('transforms', 'must be an array');
  if (!transforms.every((transform) => transform === MIDDLE_OUT)) {
    throw new ApiError('unsupported_param', `transforms knows only ${MIDDLE_OUT}.`);
  }
  return transforms;
}
