// Reasoning of other vendors in this dialect's signatures. Its encrypted content (an item's id and content, or nothing)
// is carried to the client and back inside the signature, which every client keeps. A prefix tells our signatures from
// real ones, so that no vendor is sent one of ours.

const PREFIX = 'tollgate.';
/** A vendor's signature that is marked with the vendor; after the mark it is in clear text. */
const MARKED = /^tollgate\.[a-z-]+\./;

export type Sealed = Readonly<{
  itemId?: string | undefined;
  encryptedContent?: string | undefined;
  signature?: string | undefined;
}>;

export function sealReasoning(sealed: Sealed): string {
  if (sealed.encryptedContent === undefined) return PREFIX;
  const json = JSON.stringify([sealed.itemId ?? null, sealed.encryptedContent]);
  return PREFIX + Buffer.from(json, 'utf8').toString('base64url');
}

export function isSealed(signature: unknown): signature is string {
  return typeof signature === 'string' && signature.startsWith(PREFIX);
}

/** False where the thinking is only text: nothing was signed, or what we sealed is empty. */
export function provesThinking(signature: unknown): boolean {
  if (typeof signature !== 'string' || signature === '' || signature === PREFIX) return false;
  return !isSealed(signature) || Object.keys(unsealReasoning(signature)).length > 0;
}

/** Only for a sealed signature. One that was changed contains nothing. */
export function unsealReasoning(signature: string): Sealed {
  if (MARKED.test(signature)) return { signature };
  const payload = Buffer.from(signature.slice(PREFIX.length), 'base64url').toString('utf8');
  const [itemId, encryptedContent] = readList(payload);
  if (typeof encryptedContent !== 'string') return {};
  return { itemId: typeof itemId === 'string' ? itemId : undefined, encryptedContent };
}

function readList(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
