// Arrays of numbers, truth values and times in PostgreSQL's binary form, which the server only copies: reading the text
// of each element takes it several times as long. Text stays in text form, where there is less to gain and making bytes of
// it costs this process more.

type FixedType = 'boolean' | 'integer' | 'bigint' | 'timestamptz';

/** The server's number of each type, and the size of an element. */
const FORMS: Readonly<Record<FixedType, Readonly<{ typeId: number; bytes: number }>>> = {
  boolean: { typeId: 16, bytes: 1 },
  integer: { typeId: 23, bytes: 4 },
  bigint: { typeId: 20, bytes: 8 },
  timestamptz: { typeId: 1184, bytes: 8 },
};

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NO_VALUE = 0xff;
/** Times are counted in microseconds from the beginning of 2000. */
const EPOCH_MS = 946_684_800_000;
const TWO_TO_32 = 4_294_967_296;

export const hasBinaryForm = (type: string): type is FixedType => Object.hasOwn(FORMS, type);

function putInteger(buffer: Uint8Array, value: number, at: number): number {
  buffer[at] = value >>> 24;
  buffer[at + 1] = value >>> 16;
  buffer[at + 2] = value >>> 8;
  buffer[at + 3] = value;
  return at + 4;
}

/**
 * Null stands for no value; times are in milliseconds. Answers null where a number is not exact, or is no integer: such
 * an array is sent as text, and the server judges it.
 */
export function binaryArray<Item>(
  type: FixedType,
  items: readonly Item[],
  of: (item: Item) => number | bigint | boolean | null,
): Buffer | null {
  const { typeId, bytes } = FORMS[type];
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + items.length * (LENGTH_BYTES + bytes));
  putInteger(buffer, 1, 0);
  putInteger(buffer, 1, 4);
  putInteger(buffer, typeId, 8);
  putInteger(buffer, items.length, 12);
  let at = putInteger(buffer, 1, 16);
  for (const item of items) {
    const value = of(item);
    if (value === null) {
      buffer.fill(NO_VALUE, at, at + LENGTH_BYTES);
      at += LENGTH_BYTES;
      continue;
    }
    const number = type === 'timestamptz' ? (Number(value) - EPOCH_MS) * 1_000 : Number(value);
    if (!Number.isSafeInteger(number) || (bytes === 4 && number !== (number | 0))) return null;
    at = putInteger(buffer, bytes, at);
    if (bytes === 8) at = putInteger(buffer, Math.floor(number / TWO_TO_32), at);
    if (bytes === 1) buffer[at++] = number;
    else at = putInteger(buffer, number, at);
  }
  return buffer.subarray(0, at);
}
