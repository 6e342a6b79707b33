// Numbers and texts from upstreams and clients, made storable: a row that the database refuses would be a charge that is
// never made.

const INTEGER_MAX = 2_147_483_647;
const TEXT_LENGTH_MAX = 512;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the database's text type has no place for NUL.
const UNSTORABLE = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function storableText(text: string): string {
  const short = text.length > TEXT_LENGTH_MAX ? text.slice(0, TEXT_LENGTH_MAX) : text;
  return short.replace(UNSTORABLE, '\ufffd');
}

export const storableTextOrNull = (text: string | null): string | null => (text === null ? null : storableText(text));

export function storableInteger(value: number): number {
  if (!Number.isFinite(value) || value <= 0) return 0;
  return Math.min(Math.round(value), INTEGER_MAX);
}

/** Token counts are validated long before; one that is not a count after all must not cost the charge. */
export const storableCount = (value: number): number => (Number.isSafeInteger(value) && value > 0 ? value : 0);
