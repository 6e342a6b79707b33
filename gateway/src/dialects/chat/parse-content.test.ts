// Content parts: what each kind must have, and that a refusal names the wrong part.

import { describe, expect, test } from 'vitest';
import { createTally, readParts, USER_PARTS } from './parse-content.ts';

function read(...parts: unknown[]) {
  const tally = createTally();
  readParts(parts, 3, USER_PARTS, tally);
  return tally;
}

const refusal = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });
const png = 'data:image/png;base64,iVBORw0KGgo=';

test('CHAT-28 text parts, and nothing of an unknown kind', () => {
  expect(read({ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }).tokens).toBeGreaterThan(0);
  const where = 'messages[3].content[0].text';
  expect(() => read({ type: 'text' })).toThrow(refusal('missing_required_field', `${where} is required`));
  expect(() => read({ type: 'text', text: 5 })).toThrow(refusal('http_400', `${where} must be a string`));
  for (const part of [{ type: 'sound' }, {}, { type: ['text'] }, { type: 'constructor' }]) {
    expect(() => read(part)).toThrow(refusal('http_400', 'messages[3].content[0].type'));
  }
  expect(() => read({ type: 'text', text: '' }, null)).toThrow(refusal('http_400', 'messages[3].content[1]'));
});

describe('CHAT-29 images', () => {
  const image = (url: unknown, detail?: unknown) => ({ type: 'image_url', image_url: { url, detail } });

  test('CHAT-29 remote URLs and data URIs, several of them', () => {
    const gif = 'data:image/gif;base64,R0lGODlh';
    const tally = read(image(png, 'low'), image('https://a.test/x.webp'), image('HTTPS://a.test/y'), image(gif));
    expect(tally.imageCount).toBe(4);
  });

  test('CHAT-29 the url is a string, and the refusal says where', () => {
    const where = 'messages[3].content[1].image_url.url must be a string';
    expect(() => read({ type: 'text', text: 'x' }, image(7))).toThrow(refusal('http_400', where));
    expect(() => read({ type: 'image_url', image_url: {} })).toThrow(
      refusal('missing_required_field', 'image_url.url'),
    );
    expect(() => read({ type: 'image_url', image_url: png })).toThrow(
      refusal('http_400', 'image_url must be an object'),
    );
    expect(() => read(image(png, 5))).toThrow(refusal('http_400', 'image_url.detail'));
  });

  test('CHAT-29 other schemes, other media and empty data are no image', () => {
    const wrong = ['', 'a.png', 'ftp://a.test/x', 'file:///etc/passwd', 'https://', 'javascript:alert(1)', 'data:'];
    const data = [
      'data:image/png,rawbytes',
      'data:image/png;base64,',
      'data:text/html;base64,PGI+',
      `https://${'a'.repeat(9_000)}`,
    ];
    for (const url of [...wrong, ...data])
      expect(() => read(image(url))).toThrow(refusal('invalid_image_url', 'image_url.url'));
  });
});

describe('CHAT-30 files', () => {
  const file = (file_data: unknown, more: object = {}) => ({ type: 'file', file: { file_data, ...more } });
  const pdf = (text: string) => `data:application/pdf;base64,${Buffer.from(text, 'latin1').toString('base64')}`;
  const plainPdf =
    '%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\nxref\n0 1\ntrailer\n<< /Root 1 0 R >>\nstartxref\n50\n%%EOF\n';
  const lockedPdf = plainPdf.replace('/Root 1 0 R', '/Root 1 0 R /Encrypt 5 0 R');

  test('CHAT-30 a base64 data URI is taken, with or without a name', () => {
    expect(read(file(pdf(plainPdf)), file('data:text/plain;base64,aGk=', { filename: 'a.txt' })).fileCount).toBe(2);
  });

  test('CHAT-30 a URL, plain base64 and missing data are refused', () => {
    for (const data of ['https://a.test/a.pdf', 'JVBERi0xLjc=', 'data:application/pdf,x', 5, null]) {
      expect(() => read(file(data))).toThrow(refusal('http_400', 'messages[3].content[0].file.file_data'));
    }
    expect(() => read({ type: 'file', file: {} })).toThrow(refusal('missing_required_field', 'file.file_data'));
    expect(() => read({ type: 'file', file: 'x' })).toThrow(refusal('http_400', '.file must be an object'));
    expect(() => read(file(pdf(plainPdf), { filename: 5 }))).toThrow(refusal('http_400', 'file.filename'));
  });

  test('CHAT-30 a password-protected PDF is refused, whatever it calls itself', () => {
    expect(() => read(file(pdf(lockedPdf)))).toThrow(refusal('http_400', 'password-protected'));
    const renamed = pdf(lockedPdf).replace('application/pdf', 'application/octet-stream');
    expect(() => read(file(renamed))).toThrow(refusal('http_400', 'password-protected'));
    const text = pdf('just words about /Encrypt in a trailer').replace('application/pdf', 'text/plain');
    expect(read(file(text)).fileCount).toBe(1);
  });

  test("an upstream's file id is refused: callers would share the gateway's files", () => {
    expect(() => read(file(pdf(plainPdf), { file_id: 'file-1' }))).toThrow(refusal('unsupported_param', 'file_id'));
    expect(() => read({ type: 'file', file: { file_id: 'file-1' } })).toThrow(refusal('unsupported_param', 'file_id'));
  });
});

test('CHAT-31 audio is plain base64 with a format', () => {
  const audio = (input_audio: unknown) => ({ type: 'input_audio', input_audio });
  expect(read(audio({ data: 'UklGRg==', format: 'wav' })).audioCount).toBe(1);
  const path = 'messages[3].content[0].input_audio';
  for (const data of ['data:audio/wav;base64,UklGRg==', 'https://a.test/sound.wav', '', '!!!']) {
    expect(() => read(audio({ data, format: 'wav' }))).toThrow(refusal('http_400', `${path}.data`));
  }
  expect(() => read(audio({ data: 'UklGRg==' }))).toThrow(refusal('missing_required_field', `${path}.format`));
  expect(() => read(audio({ data: 'UklGRg==', format: 3 }))).toThrow(refusal('http_400', `${path}.format`));
  expect(() => read(audio({ format: 'wav' }))).toThrow(refusal('missing_required_field', `${path}.data`));
  expect(() => read(audio({ data: 5, format: 'wav' }))).toThrow(refusal('http_400', `${path}.data`));
  expect(() => read(audio('UklGRg=='))).toThrow(refusal('http_400', path));
});

test('CHAT-32 video is a URL or a data URI', () => {
  const video = (url: unknown) => ({ type: 'video_url', video_url: { url } });
  expect(read(video('https://a.test/v.mp4'), video('data:video/mp4;base64,AAAA')).videoCount).toBe(2);
  for (const url of [5, 'ftp://a.test/v', 'data:video/mp4,AAAA', 'data:image/png;base64,AAAA']) {
    expect(() => read(video(url))).toThrow(refusal('http_400', 'messages[3].content[0].video_url.url'));
  }
  expect(() => read({ type: 'video_url', video_url: {} })).toThrow(refusal('missing_required_field', 'video_url.url'));
  expect(() => read({ type: 'video_url', video_url: 'https://a.test/v.mp4' })).toThrow(
    refusal('http_400', '.video_url'),
  );
});
