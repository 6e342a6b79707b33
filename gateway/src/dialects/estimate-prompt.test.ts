// The estimate is rather too high for every kind of text, grows with the prompt, and stays within bounds for media.

import { describe, expect, test } from 'vitest';
import { recording } from '../../test/audio/audio-harness.ts';
import { parseChatRequest } from './chat/parse-request.ts';
import {
  addAudio,
  addFile,
  addImage,
  addVideo,
  fileTokens,
  imageTokens,
  jsonTokens,
  type PromptTokens,
  textTokens,
} from './estimate-prompt.ts';

// The text, then its count in the vocabularies cl100k and o200k.
const counted: readonly (readonly [text: string, older: number, newer: number])[] = [
  ['The quick brown fox jumps over the lazy dog.', 10, 10],
  ['export function add(left: number, right: number): number {\n  return left + right;\n}\n', 20, 20],
  ['{"id":17,"name":"a","tags":["x","y"],"ok":true}', 19, 20],
  ['Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich.', 22, 18],
  ['Съешь же ещё этих мягких французских булок', 28, 12],
  ['敏捷的棕色狐狸跳过了懒狗', 24, 13],
  ['吾輩は猫である。名前はまだ無い。', 21, 14],
  ['يولد جميع الناس أحراراً متساوين في الكرامة والحقوق', 36, 17],
  ['सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है', 73, 21],
];

test.each(counted)('BILL-02 the estimate of %j is high, or within a tenth', (text, older, newer) => {
  expect(textTokens(text)).toBeGreaterThanOrEqual(Math.max(older, newer) * 0.9);
  // A caller with little credit notices when too much is held.
  expect(textTokens(text)).toBeLessThan(Math.max(older, newer) * 2.5);
});

test('BILL-02 JSON is measured close to its text', () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string', description: 'Name of the city' } },
    required: ['city'],
  };
  const text = JSON.stringify(schema).length * 0.4;
  expect(jsonTokens(schema)).toBeGreaterThanOrEqual(text * 0.9);
  expect(jsonTokens(schema)).toBeLessThan(text * 1.6);
});

test('nesting beyond all measure is cut off rather than followed', () => {
  let deep: unknown = 'x';
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(jsonTokens(deep)).toBeLessThan(1_000);
});

describe('media', () => {
  const dataUri = (type: string, base64Length: number) => `data:${type};base64,${'A'.repeat(base64Length)}`;

  test('an image counts by its bytes up to a bound, a remote one at the bound', () => {
    expect(imageTokens(dataUri('image/png', 100))).toBeLessThan(500);
    expect(imageTokens(dataUri('image/png', 5_000_000))).toBe(imageTokens('https://a.test/x.png'));
  });

  const measured = (add: (prompt: PromptTokens) => void): PromptTokens => {
    const prompt = { tokens: 0, tokensBeyond: 0, pictures: 0 };
    add(prompt);
    return prompt;
  };

  test('BILL-02 a picture of few bytes may be as large as one of many', () => {
    const [small, large] = [4_000, 4_000_000].map((length) =>
      measured((prompt) => addImage(prompt, dataUri('image/png', length))),
    );
    expect(small?.tokens).toBeLessThan(1_000);
    expect((small?.tokens ?? 0) + (small?.tokensBeyond ?? 0)).toBe(large?.tokens);
    expect(large).toEqual({ tokens: imageTokens('https://a.test/x.png'), tokensBeyond: 0, pictures: 1 });
  });

  test('files, audio and video grow with their size and stay bounded', () => {
    const pdf = dataUri('application/pdf', 9_000_000);
    expect(fileTokens(pdf, true)).toBe(300_000);
    expect(fileTokens(dataUri('text/plain', 4_000), false)).toBeGreaterThan(2_000);
    const sound = (length: number) => measured((prompt) => addAudio(prompt, 'A'.repeat(length), 'pcm16')).tokens;
    expect(sound(4_000_000)).toBeGreaterThan(sound(4_000));
    expect(measured((prompt) => addVideo(prompt, 'https://a.test/v.mp4')).tokens).toBe(60_000);
    expect(measured((prompt) => addVideo(prompt, dataUri('video/mp4', 9_000_000))).tokens).toBeGreaterThan(60_000);
  });

  test('BILL-02 a video of a few bytes may be hours long, and is held for like a remote one', () => {
    expect(measured((prompt) => addVideo(prompt, dataUri('video/mp4', 4_000)))).toEqual({
      tokens: 60_000,
      tokensBeyond: 940_000,
      pictures: 0,
    });
  });

  test('BILL-02 what else only the provider can measure is known to be more, and what is measured is not', () => {
    const pdf = dataUri('application/pdf', 4_000);
    const { tokens, tokensBeyond } = measured((prompt) =>
      addFile(prompt, pdf, { isPdf: true, mediaType: 'application/pdf' }),
    );
    expect(tokens + tokensBeyond).toBe(300_000);
    const beyondOf = (mediaType: string) =>
      measured((prompt) => addFile(prompt, dataUri(mediaType, 4_000), { isPdf: false, mediaType })).tokensBeyond;
    expect(beyondOf('Video/mp4')).toBeGreaterThan(900_000);
    expect(beyondOf('text/plain')).toBe(0);
  });

  test.each([
    ['flac', 'ZkxhQ', false],
    ['wav', 'ZkxhQ', false],
    ['wav', 'UklGR', false],
    ['pcm16', 'UklGR', false],
    ['mp3', 'T2dnUw', false],
    ['mp3', 'SUQz', false],
    ['mp3', '//FQ', false],
    ['pcm16', 'ZkxhQ', false],
    ['pcm16', 'AAAA', true],
  ])('BILL-02 sound that is called %s and begins with %s is measured: %s', (format, begin, isMeasured) => {
    const { tokensBeyond } = measured((prompt) => addAudio(prompt, begin.padEnd(4_000, 'A'), format));
    expect(tokensBeyond === 0).toBe(isMeasured);
  });

  test('BILL-02 of a WAV the coding of its samples bounds what it may come to', () => {
    const mostOf = (base64: string, format = 'wav') => {
      const { tokens, tokensBeyond } = measured((prompt) => addAudio(prompt, base64, format));
      return tokens + tokensBeyond;
    };
    const most = (coding: number, bits: number) => {
      const file = recording(10);
      file.writeUInt16LE(coding, 20);
      file.writeUInt16LE(bits, 34);
      return mostOf(file.toString('base64'));
    };
    const plain = recording(10).toString('base64');
    expect(mostOf(plain, 'mp3')).toBe(mostOf(plain));
    expect(mostOf(plain.replace(/.{76}/g, '$&\n'))).toBeLessThan(1_800);
    // Of ADPCM the same bytes are forty seconds, of an MP3 they may be 160, and of other codings hours.
    expect([most(1, 16), most(0x11, 4)].map(Math.round)).toEqual([1_700, 2_101]);
    expect(most(0x55, 0)).toBeCloseTo(100 + 160.044 * 50, -1);
    expect(most(0xff, 16)).toBeCloseTo(1_000_000);
  });

  test('BILL-02 of an MP3 its frames bound what it may come to, at the lowest rate and at a usual one', () => {
    const most = (head: readonly number[], byteLength: number, count: number) => {
      const frame = Buffer.alloc(byteLength);
      Buffer.from(head).copy(frame);
      const base64 = Buffer.concat(Array(count).fill(frame)).toString('base64');
      const { tokens, tokensBeyond } = measured((prompt) => addAudio(prompt, base64, 'mp3'));
      return tokens + tokensBeyond;
    };
    // A minute at 8 kilobits a second, for which a vendor may count 32 tokens a second.
    expect(most([0xff, 0xe3, 0x18, 0], 72, 833)).toBeGreaterThan(60 * 32);
    expect(most([0xff, 0xe3, 0x18, 0], 72, 833)).toBeLessThan(60 * 55);
    // A minute at 128 is held for at more than it can come to.
    expect(most([0xff, 0xfb, 0x90, 0], 417, 2_297)).toBeCloseTo(100 + (2_297 * 417) / 100, -1);
    // Ten minutes, of which the first are looked at.
    expect(most([0xff, 0xfb, 0x90, 0], 417, 22_970)).toBeLessThan(500_000);
  });

  test('BILL-02 of Opus in Ogg its packets bound what it may come to, and only while all of the file is that', () => {
    const head = (flags: number, sizes: readonly number[]) => {
      const page = Buffer.alloc(27);
      page.write('OggS', 0);
      page[5] = flags;
      page[26] = sizes.length;
      return Buffer.concat([page, Buffer.from(sizes)]);
    };
    const begin = Buffer.concat([head(2, [19]), Buffer.from('OpusHead'.padEnd(19, '\0'))]);
    // Ten seconds of speech, in packets of 20 ms and 40 bytes.
    const pages = Array.from({ length: 5 }, () => Buffer.concat([head(0, Array(100).fill(40)), Buffer.alloc(4_000)]));
    const mostOfText = (base64: string) => {
      const { tokens, tokensBeyond } = measured((prompt) => addAudio(prompt, base64, 'ogg'));
      return tokens + tokensBeyond;
    };
    const mostOf = (...parts: Buffer[]) => mostOfText(Buffer.concat(parts).toString('base64'));
    expect(mostOf(begin, ...pages)).toBeCloseTo(100 + 502 * 6);
    expect(mostOf(begin, ...pages, Buffer.from('fLaC'))).toBeCloseTo(1_000_000);
    expect(mostOfText(`${begin.toString('base64')}=${begin.toString('base64')}`)).toBeCloseTo(1_000_000);
    expect(mostOf(begin, ...Array(60).fill(pages).flat())).toBeCloseTo(1_000_000);
  });
});

describe('BILL-02 nothing that is forwarded escapes the estimate', () => {
  const long = 'word '.repeat(2_000);
  const estimate = (change: object) =>
    parseChatRequest({ model: 'm/1', messages: [{ role: 'user', content: 'x' }], ...change }).promptTokensEstimate;
  const calling = { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: long } }] };

  test.each([
    ['content', { messages: [{ role: 'user', content: long }] }],
    ['parts', { messages: [{ role: 'user', content: [{ type: 'text', text: long }] }] }],
    ['arguments of a call', { messages: [calling] }],
    ['returned reasoning', { messages: [{ role: 'assistant', reasoning_details: [{ text: long }] }] }],
    ['tools', { tools: [{ type: 'function', function: { name: 'f', description: long } }] }],
    [
      'a schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { description: long } } } },
    ],
    ['an unknown field', { documents: [{ text: long }] }],
  ])('%s', (_, change) => {
    expect(estimate(change)).toBeGreaterThan(4_000);
  });

  test('each message adds its overhead', () => {
    const messages = Array(100).fill({ role: 'user', content: '' });
    expect(estimate({ messages })).toBeGreaterThanOrEqual(800);
  });
});
