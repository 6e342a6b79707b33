// A password-protected PDF is found by reading a bounded part of it, wherever its cross-reference section is.

import { expect, test } from 'vitest';
import { isEncryptedPdf } from './detect-encrypted-pdf.ts';

const HEADER = 'data:application/pdf;base64,';
const detect = (bytes: string) =>
  isEncryptedPdf(HEADER + Buffer.from(bytes, 'latin1').toString('base64'), HEADER.length);

/** `section` stands where `startxref` points; `filler` lies between it and the end. */
function pdf(section: string, filler = ''): string {
  const head = '%PDF-1.7\n';
  return `${head}${section}\n${filler}\nstartxref\n${head.length}\n%%EOF\n`;
}

const TRAILER = 'xref\n0 1\n0000000000 65535 f \ntrailer\n';

test('CHAT-30 a trailer at the end of the file', () => {
  expect(detect(pdf(`${TRAILER}<< /Size 1 /Encrypt 9 0 R >>`))).toBe(true);
  expect(detect(pdf(`${TRAILER}<< /Size 1 /Encrypt<</Filter/Standard>> >>`))).toBe(true);
  expect(detect(pdf(`${TRAILER}<< /Size 1 >>`))).toBe(false);
});

test('CHAT-30 a section far from the end, at every alignment of the base64', () => {
  for (let extra = 0; extra < 6; extra += 1) {
    const filler = 'x'.repeat(200_000 + extra);
    expect(detect(pdf(`9 0 obj << /Type /XRef /Encrypt 4 0 R >> stream`, filler))).toBe(true);
    expect(detect(pdf(`9 0 obj << /Type /XRef >> stream`, filler))).toBe(false);
  }
});

test('CHAT-30 a long file whose base64 lacks its padding', () => {
  for (let extra = 0; extra < 3; extra += 1) {
    const bytes = `%PDF-1.7\n${'x'.repeat(40_000 + extra)}\n${TRAILER}<< /Encrypt 9 0 R >>\nstartxref\n9\n%%EOF`;
    const unpadded = Buffer.from(bytes, 'latin1').toString('base64').replaceAll('=', '');
    expect(isEncryptedPdf(HEADER + unpadded, HEADER.length)).toBe(true);
  }
});

test('a longer name is another name, and a mention far from any section does not count', () => {
  expect(detect(pdf(`${TRAILER}<< /EncryptionNote (none) >>`))).toBe(false);
  const page = `(how to write /Encrypt in a trailer)${'x'.repeat(100_000)}`;
  expect(detect(`%PDF-1.7\n${'y'.repeat(40_000)}${page}\nstartxref\n9\n%%EOF`)).toBe(false);
});

test('what is no PDF, or lies about its section, is read without harm', () => {
  for (const bytes of ['', 'x', '%PDF-1.7', 'startxref', 'startxref\n99999999999999999999\n', 'startxref\n-5\n']) {
    expect(detect(bytes)).toBe(false);
  }
  expect(isEncryptedPdf(`${HEADER}!!!!not base64 at all`, HEADER.length)).toBe(false);
});
