// Finds out whether a PDF is password-protected without decoding all of it. A PDF is read from its end: `startxref`
// there points at the cross-reference section, and an encrypted file names `/Encrypt` in the dictionary next to it.

const TAIL_BYTES = 16_384;
const SECTION_BYTES = 16_384;
const MARKER = '/Encrypt';

/**
 * `start` is where the base64 payload begins in `text`. A file that cannot be read as a PDF counts as not encrypted.
 */
export function isEncryptedPdf(text: string, start: number): boolean {
  const payloadLength = text.length - start;
  const tailUnits = Math.ceil(TAIL_BYTES / 3) * 4;
  const tail = decode(text, start, Math.max(0, payloadLength - tailUnits), tailUnits + 4);
  if (namesEncryption(tail)) return true;
  const offset = sectionOffset(tail);
  // A file that is arranged for the web has the section near its start, outside the tail.
  if (offset === null || offset >= payloadLength) return false;
  return namesEncryption(decode(text, start, Math.floor(offset / 3) * 4, Math.ceil(SECTION_BYTES / 3) * 4));
}

/** Base64 can be cut at any multiple of four characters, counted from the payload's start. */
function decode(text: string, start: number, from: number, length: number): string {
  const aligned = start + from - (from % 4);
  return Buffer.from(text.slice(aligned, aligned + length), 'base64').toString('latin1');
}

function sectionOffset(tail: string): number | null {
  const keyword = tail.lastIndexOf('startxref');
  if (keyword === -1) return null;
  const offset = Number.parseInt(tail.slice(keyword + 'startxref'.length, keyword + 32), 10);
  return Number.isSafeInteger(offset) && offset >= 0 ? offset : null;
}

/** The name must end there: `/EncryptMetadata` is another name. */
function namesEncryption(section: string): boolean {
  for (let at = section.indexOf(MARKER); at !== -1; at = section.indexOf(MARKER, at + MARKER.length)) {
    const next = section.charCodeAt(at + MARKER.length);
    const isNameEnd = next <= 0x20 || next === 0x3c || next === 0x5b || next === 0x2f;
    if (isNameEnd) return true;
  }
  return false;
}
