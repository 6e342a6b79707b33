// Signatures of a model's thinking that only one vendor takes back. They travel through every dialect in the place of any
// other signature, marked with whose they are, so that nobody else is ever shown one: a foreign signature is refused, and
// the whole call with it.

const PREFIX = 'tollgate.';

export function sealSignature(vendor: string, signature: string): string {
  return `${PREFIX}${vendor}.${signature}`;
}

/** Null for a signature of somebody else. */
export function openSignature(vendor: string, sealed: string): string | null {
  const prefix = `${PREFIX}${vendor}.`;
  return sealed.startsWith(prefix) ? sealed.slice(prefix.length) : null;
}

/** Also for what dialects seal themselves; a vendor's own signature never looks like it. */
export function isSealedSignature(signature: string): boolean {
  return signature.startsWith(PREFIX);
}
