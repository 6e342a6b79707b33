// The names of errors, the same in a header, in a body and inside a stream, and the status of each: a stream has no
// other status.

const statuses: ReadonlyMap<string, number> = new Map([
  ['validationexception', 400],
  ['accessdeniedexception', 403],
  ['expiredtokenexception', 403],
  ['unrecognizedclientexception', 403],
  ['invalidsignatureexception', 403],
  ['resourcenotfoundexception', 404],
  ['modeltimeoutexception', 408],
  ['modelerrorexception', 424],
  ['throttlingexception', 429],
  ['servicequotaexceededexception', 429],
  ['modelnotreadyexception', 503],
  ['modelstreamerrorexception', 502],
  ['internalserverexception', 500],
  ['serviceunavailableexception', 503],
]);

/** In a header an address follows it, in a body a namespace precedes it. */
const NAME = /([A-Za-z]+(?:Exception|Error))\b/;

/** Null for an unknown name. */
export function statusOfException(text: unknown): number | null {
  const name = typeof text === 'string' ? NAME.exec(text)?.[1] : undefined;
  return name === undefined ? null : (statuses.get(name.toLowerCase()) ?? null);
}
