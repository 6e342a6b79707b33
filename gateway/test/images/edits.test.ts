// Pictures from pictures: files through the gateway to the upstream, and everything about them that is refused.

import { request } from 'node:http';
import { makePng } from '@tollgate/simulator';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Harness, Json } from '../harness.ts';
import { HOSTILE_NUMBERS } from '../money/hostile-numbers.ts';
import { codeOf, download, edit, paintingModel, picture, type Source, startImages, urlsOf } from './image-harness.ts';

const TEN_MEGABYTES = 10_485_760;
/** A picture of one pixel in each of the other kinds. */
const JPEG = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffdb004300080606070605080707070909080a0c140d0c0b0b0c1912130f141d1a1f1e1d1a1c1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432ffc0000b080001000101011100ffc40014000100000000000000000000000000000009ffc40014100100000000000000000000000000000000ffda0008010100003f002a9fffd9',
  'hex',
);
const GIF = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64');
const WEBP = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');

let harness: Harness;

beforeAll(async () => {
  harness = await startImages({
    models: {
      'acme/words-only': paintingModel(undefined, { input_modalities: ['text'] }),
      'acme/broken': paintingModel('status-500'),
    },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

describe('the call', () => {
  test('IMG-11 one file and a prompt: an address, at the price of a picture', async () => {
    const { key } = await harness.account(5);
    const answer = await edit(harness, key);
    expect(answer.status).toBe(200);
    expect(urlsOf(answer)).toHaveLength(1);
    expect((await download(urlsOf(answer)[0] ?? '')).status).toBe(200);
    expect(await harness.spent(key)).toBe(0.04);
    const sent = harness.simulator.requests.at(-1);
    expect(sent?.path).toBe('/v1/images/edits');
    expect(sent?.form?.fields).toEqual({ model: 'acme/painter', prompt: 'Make it blue' });
    expect(sent?.form?.files).toMatchObject([{ name: 'image', fileName: 'a.png', contentType: 'image/png' }]);
    expect(sent?.form?.files[0]?.bytes.equals(picture().bytes)).toBe(true);
  });

  test('IMG-11 with the openai SDK and two files', async () => {
    const { key } = await harness.account(5);
    const client = new OpenAI({ apiKey: key, baseURL: `${harness.url}/v1` });
    const answer = await client.images.edit({
      model: 'acme/painter',
      prompt: 'Put one into the other',
      n: 2,
      size: '1024x1024',
      image: [
        await toFile(makePng(1), 'one.png', { type: 'image/png' }),
        await toFile(makePng(2), 'two.png', { type: 'image/png' }),
      ],
    });
    expect(answer.data).toHaveLength(2);
    for (const { url } of answer.data ?? []) expect((await download(url ?? '')).status).toBe(200);
    const { fields, files = [] } = harness.simulator.requests.at(-1)?.form ?? {};
    expect(fields).toMatchObject({ model: 'acme/painter', n: '2', size: '1024x1024' });
    expect(files.map(({ name, fileName }) => [name, fileName])).toEqual([
      ['image[]', 'one.png'],
      ['image[]', 'two.png'],
    ]);
    expect(files.map(({ bytes }, index) => bytes.equals(makePng(index + 1)))).toEqual([true, true]);
    expect(await harness.spent(key)).toBe(0.08);
  });

  test('IMG-12 without a model the first of the catalog that makes pictures from pictures is taken', async () => {
    const { key } = await harness.account(5);
    expect((await edit(harness, key, [picture()], { model: '' })).status).toBe(200);
    expect(harness.simulator.requests.at(-1)?.form?.fields.model).toBe('acme/painter');
  });

  test.each([
    ['JPEG', JPEG, 'image/jpeg'],
    ['GIF', GIF, 'image/gif'],
    ['WebP', WEBP, 'image/webp'],
  ])('CHAT-29 %s, whatever the client calls it', async (_, bytes, expected) => {
    const { key } = await harness.account(5);
    expect((await edit(harness, key, [{ bytes, type: 'application/octet-stream', name: 'x' }])).status).toBe(200);
    expect(harness.simulator.requests.at(-1)?.form?.files[0]?.contentType).toBe(expected);
  });

  test('IMG-11 AMB-13 eight files, one of them of exactly 10 MB', async () => {
    const { key } = await harness.account(5);
    const sources = [picture(TEN_MEGABYTES), ...Array.from({ length: 7 }, () => picture())];
    expect(sources[0]?.bytes.length).toBe(TEN_MEGABYTES);
    expect((await edit(harness, key, sources)).status).toBe(200);
    const { files = [] } = harness.simulator.requests.at(-1)?.form ?? {};
    expect(files.map(({ bytes }) => bytes.length)).toEqual(sources.map(({ bytes }) => bytes.length));
  });
});

describe('what is refused', () => {
  const text: Source = { bytes: Buffer.from('no picture at all'), type: 'text/plain', name: 'a.txt' };
  const svg: Source = { bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), type: 'image/svg+xml' };
  const mask: Source = { ...picture(), field: 'mask' };
  const large = picture(TEN_MEGABYTES + 1);
  const nine = Array.from({ length: 9 }, () => picture());

  test.each([
    ['ERR-48 no file', [], {}, 'missing_image'],
    ['ERR-47 no prompt', [picture()], { prompt: '' }, 'missing_prompt'],
    ['ERR-49 nine files', nine, {}, 'too_many_images'],
    ['ERR-50 a text', [text], {}, 'invalid_image_type'],
    ['ERR-50 a text that calls itself a picture', [{ ...text, type: 'image/png' }], {}, 'invalid_image_type'],
    ['ERR-50 an SVG', [svg], {}, 'invalid_image_type'],
    ['ERR-50 an empty file', [{ bytes: Buffer.alloc(0) }], {}, 'invalid_image_type'],
    ['ERR-51 a byte too many', [large], {}, 'image_too_large'],
    ['ERR-45 a mask', [picture(), mask], {}, 'mask_not_supported'],
    ['ERR-45 a mask that is no file', [picture()], { mask: 'x' }, 'mask_not_supported'],
    [
      'ERR-46 pictures inside of the answer',
      [picture()],
      { response_format: 'b64_json' },
      'unsupported_response_format',
    ],
    ['ERR-52 eleven', [picture()], { n: '11' }, 'invalid_n'],
    ['ERR-52 a word', [picture()], { n: 'two' }, 'invalid_n'],
    ['ERR-43 a model that takes words alone', [picture()], { model: 'acme/words-only' }, 'input_images_not_supported'],
    ['IMG-11 a file of another name', [picture(), { ...picture(), field: 'extra' }], {}, 400],
  ] as const)('%s', async (_, sources, fields, code) => {
    const { key } = await harness.account(5);
    harness.simulator.clearRequests();
    const answer = await edit(harness, key, sources, fields);
    expect([answer.status, codeOf(answer)]).toEqual([400, code]);
    expect(harness.simulator.requests).toHaveLength(0);
    expect(await harness.spent(key)).toBe(0);
  });

  test('ERR-52 NUM-1 M3 hostile numbers of pictures, written into a form', async () => {
    const { key } = await harness.account(50);
    let served = 0;
    for (const number of HOSTILE_NUMBERS.filter((text) => !text.startsWith('"'))) {
      const answer = await edit(harness, key, [picture()], { n: number });
      if (answer.status === 200) served += 1;
      else expect([number, answer.status, codeOf(answer)]).toEqual([number, 400, 'invalid_n']);
    }
    // Only 01 is a number from 1 to 10.
    expect(served).toBe(1);
    expect(await harness.spent(key)).toBe(0.04);
  });

  test('ERR-44 JSON', async () => {
    const { key } = await harness.account(5);
    const body = { model: 'acme/painter', prompt: 'x', image: 'y' };
    const answer = await harness.request('POST', '/v1/images/edits', { key, body });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_content_type']);
  });

  test('LIM-08 AMB-13 more than 81 MB are not even read', async () => {
    const { key } = await harness.account(5);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${harness.url}/v1/images/edits`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'multipart/form-data; boundary=x',
          'Content-Length': 81 * 1024 * 1024 + 1,
        },
      });
      sent.on('response', ({ statusCode }) => {
        resolve(statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.flushHeaders();
    });
    expect(status).toBe(413);
  });

  test('BILL-04 an upstream that fails: nothing is charged', async () => {
    const { key } = await harness.account(5);
    const answer = await edit(harness, key, [picture()], { model: 'acme/broken' });
    expect([answer.status, codeOf(answer)]).toEqual([502, 'upstream_unavailable']);
    expect(await harness.spent(key)).toBe(0);
    expect((answer.body.error as Json).message).not.toMatch(/simulat/i);
  });
});
