// The last look at a conversation that was translated. Empty texts, and kinds of content that only the caller's own
// format knows, are left out on the way; an upstream that is sent nothing refuses it in words that help nobody.

import { ApiError } from '../errors/api-error.ts';

export function refuseNothing<Item>(messages: readonly Item[]): readonly Item[] {
  if (messages.length > 0) return messages;
  throw new ApiError('missing_required_field', 'The messages hold nothing that this model could read. Send some text.');
}
