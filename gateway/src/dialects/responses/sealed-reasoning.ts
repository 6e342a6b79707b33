// Another vendor's signature of reasoning in this dialect. Clients carry one opaque text per reasoning item back and
// forth, `encrypted_content`; a signature or redacted thinking is put into it, with a mark that tells it from what a
// provider of this format encrypted itself.

import { isJsonObject, textOrNothing } from '../../canonical/json.ts';

const MARK = 'tg1.';

type ReasoningProof = Readonly<{
  signature?: string | undefined;
  redactedData?: string | undefined;
  /** Only where the item does not show the text, because the signature is worthless without it. */
  text?: string | undefined;
}>;

export function sealReasoning(proof: ReasoningProof): string {
  return MARK + Buffer.from(JSON.stringify(proof), 'utf8').toString('base64url');
}

/** Null for anything that was not sealed here. */
export function unsealReasoning(sealed: string): ReasoningProof | null {
  if (!sealed.startsWith(MARK)) return null;
  const proof = parseProof(Buffer.from(sealed.slice(MARK.length), 'base64url').toString('utf8'));
  if (!isJsonObject(proof)) return null;
  return {
    signature: textOrNothing(proof.signature),
    redactedData: textOrNothing(proof.redactedData),
    text: textOrNothing(proof.text),
  };
}

/** False where the reasoning is only text: nothing was encrypted, or what we sealed is empty. */
export function provesReasoning(encrypted: unknown): boolean {
  if (typeof encrypted !== 'string' || encrypted === '') return false;
  const proof = unsealReasoning(encrypted);
  return proof === null || isProof(proof);
}

/** A text alone proves nothing. */
export const isProof = ({ signature, redactedData }: ReasoningProof): boolean =>
  signature !== undefined || redactedData !== undefined;

function parseProof(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
