// Signatures of calls. As in the real API, a call that comes back must have the signature it was given, or the mark for
// calls of other models, so that a gateway that mixes them up is found out.

import { createHash } from 'node:crypto';
import { type JsonObject, objectAt, objectsIn, stringAt } from '../../json.ts';

const FOREIGN_CALL = 'skip_thought_signature_validator';

export function signCall(name: string): string {
  return createHash('sha512').update(`tollgate-simulator:${name}`).digest('base64');
}

export function findForgedCall(contents: readonly JsonObject[]): string | undefined {
  for (const [index, content] of contents.entries()) {
    for (const part of objectsIn(content.parts)) {
      const signature = stringAt(part, 'thoughtSignature');
      const call = objectAt(part, 'functionCall');
      if (call === undefined || signature === undefined || signature === FOREIGN_CALL) continue;
      if (signature !== signCall(stringAt(call, 'name') ?? ''))
        return `contents[${index}]: Thought signature is not valid`;
    }
  }
  return undefined;
}
