// Some providers shorten a conversation themselves: by rules that the caller sends with it, or by a summary that they
// have made and sealed. What reaches the model is then less than what was sent, and only they know how much.

import { isJsonObject, isSet, type JsonObject, listOrEmpty } from '../canonical/json.ts';

export const managesContext = ({ context_management: rules, input }: JsonObject): boolean =>
  isSet(rules) || listOrEmpty(input).some((item) => isJsonObject(item) && item.type === 'compaction');
