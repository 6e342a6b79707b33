// Files whose stated type is not what they are.

import { expect, test } from 'vitest';
import { isTextFile, pictureTypeOf } from './embedded-files.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const embedded = (mediaType: string, data: string) => ({ kind: 'base64' as const, mediaType, data });

test('CHAT-29 a picture has the type of its content', () => {
  expect(pictureTypeOf(embedded('image/jpeg', PNG))).toBe('image/png');
  expect(pictureTypeOf(embedded('image/jpg', 'QUJD'))).toBe('image/jpeg');
  expect(pictureTypeOf(embedded('application/pdf', PNG))).toBe('application/pdf');
});

test('CHAT-30 a text is one whatever its type, and other files are none', () => {
  const text = Buffer.from('{"tide":"é"}').toString('base64');
  for (const type of ['text/markdown', 'application/json', 'application/octet-stream', 'application/x-yaml']) {
    expect(isTextFile(embedded(type, text)), type).toBe(true);
  }
  for (const type of ['application/pdf', 'image/svg+xml']) expect(isTextFile(embedded(type, text)), type).toBe(false);
  for (const bytes of [
    [0x50, 0x4b, 3, 4, 0, 0],
    [0xff, 0xfe, 0x41],
  ]) {
    expect(isTextFile(embedded('application/octet-stream', Buffer.from(bytes).toString('base64')))).toBe(false);
  }
});
