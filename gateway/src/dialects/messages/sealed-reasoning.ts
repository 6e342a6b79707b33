// Reasoning of other vendors, dressed as this dialect's signatures. Their opaque half (an item's id and its encrypted
// content, or nothing) travels to the client and back inside the signature, where every client keeps it. The prefix
// tells ours from genuine ones, which no vendor would mistake for its own.

const PREFIX = 'tollgate.';
/** A signature of a vendor that has been marked as its own; it is in the clear behind the mark. */
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

/** Only for a signature that is sealed. What has been tampered with holds nothing. */
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
