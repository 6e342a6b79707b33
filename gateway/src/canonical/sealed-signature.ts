// Signatures of a model's thinking that only one vendor accepts back. They are carried through every dialect in the
// place of any other signature, marked with their vendor, so that no other vendor is sent one: a foreign signature
// would make the vendor refuse the whole call.

const PREFIX = 'tollgate.';

export function sealSignature(vendor: string, signature: string): string {
  return `${PREFIX}${vendor}.${signature}`;
}

/** Null for a signature of another vendor. */
export function openSignature(vendor: string, sealed: string): string | null {
  const prefix = `${PREFIX}${vendor}.`;
  return sealed.startsWith(prefix) ? sealed.slice(prefix.length) : null;
}

/** Also true for what dialects seal themselves; a vendor's own signature never looks like this. */
export function isSealedSignature(signature: string): boolean {
  return signature.startsWith(PREFIX);
}
