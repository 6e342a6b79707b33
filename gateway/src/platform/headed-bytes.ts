// Bytes with a JSON head before them, as one piece: the head's length, the head, the bytes.

const LENGTH_BYTES = 4;

export function packHeaded(head: unknown, body: Buffer): Buffer {
  const headBytes = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(headBytes.length);
  return Buffer.concat([length, headBytes, body]);
}

/** Only for bytes that were packed here: the head's type is not checked. */
export function openHeaded<Head>(bytes: Buffer): Readonly<{ head: Head; body: Buffer }> {
  const end = LENGTH_BYTES + bytes.readUInt32BE(0);
  return { head: JSON.parse(bytes.toString('utf8', LENGTH_BYTES, end)) as Head, body: bytes.subarray(end) };
}
