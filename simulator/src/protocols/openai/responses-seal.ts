// The encrypted content of a reasoning item. As in the real API, what comes back must be what was given out, so that a
// gateway that drops or edits it is found out.

import { createHash } from 'node:crypto';

const PREFIX = 'gAAAAA';

function digest(payload: string): string {
  return createHash('sha256').update(`tollgate-simulator:${payload}`).digest('base64url');
}

export function sealReasoning(reasoning: string): string {
  const payload = Buffer.from(reasoning).toString('base64url');
  return `${PREFIX}${payload}.${digest(payload)}`;
}

export function isSealedReasoning(sealed: string): boolean {
  const [payload = '', seal] = sealed.slice(PREFIX.length).split('.');
  return sealed.startsWith(PREFIX) && seal === digest(payload);
}
