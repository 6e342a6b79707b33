// Forms and JSON say the same in different ways, and a reviewer's changes reach the next stage.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { passagesOf } from '../../canonical/passage.ts';
import { ApiError } from '../../errors/api-error.ts';
import { parseVideoRequest } from './parse-request.ts';

const json = (body: JsonObject) =>
  parseVideoRequest({ body: { model: 'acme/film', prompt: 'A lake.', ...body }, files: [], isForm: false });
const form = (body: JsonObject) =>
  parseVideoRequest({ body: { model: 'acme/film', prompt: 'A lake.', ...body }, files: [], isForm: true });

const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
  return 'nothing';
};

test('VID-01 a form says what JSON says', () => {
  const url = 'https://media.example/cat.png';
  const said = {
    seconds: 8,
    seed: 7,
    hasAudio: true,
    hasWatermark: false,
    references: [{ kind: 'url', url, path: 'input_references[0]' }],
  };
  const shared = { seconds: '8', input_references: [url] };
  expect(json({ ...shared, seed: 7, generate_audio: true, watermark: false })).toMatchObject(said);
  expect(form({ ...shared, seed: '7', generate_audio: 'true', watermark: 'false' })).toMatchObject(said);
  const frames = [{ type: 'image_url', image_url: { url }, frame_type: 'first_frame' }];
  const framed = { firstFrame: { kind: 'url', url }, lastFrame: null };
  expect(form({ frame_images: JSON.stringify(frames) })).toMatchObject(framed);
  expect(form({ frame_images: [JSON.stringify(frames[0])] })).toMatchObject(framed);
  expect(form({ 'input_reference[image_url]': url })).toMatchObject(framed);
  expect(form({ '__proto__[model]': 'x', 'constructor[prototype]': 'y' }).modelName).toBe('acme/film');
});

describe('VID-03 VID-06 what is no such thing is refused by name', () => {
  test.each<[JsonObject, string]>([
    [{ duration: '8' }, 'duration'],
    [{ duration: 0 }, 'duration'],
    [{ duration: 1.5 }, 'duration'],
    [{ duration: 2n ** 60n }, 'duration'],
    [{ seconds: '08' }, 'seconds'],
    [{ seconds: '8.0' }, 'seconds'],
    [{ seed: 2 ** 60 }, 'seed'],
    [{ seed: '7' }, 'seed'],
    [{ generate_audio: 'true' }, 'generate_audio'],
    [{ watermark: 1 }, 'watermark'],
    [{ size: '1280*720' }, 'size'],
    [{ resolution: 720 }, 'resolution'],
    [{ aspect_ratio: '16/9' }, 'aspect_ratio'],
    [{ callback_url: 7 }, 'callback_url'],
    [{ prompt: ['x'] }, 'prompt'],
  ])('%o: %s', (body, field) => {
    expect(refusal(() => json(body))).toContain(field);
  });

  test('null is the same as nothing', () => {
    const nothing = { duration: null, seconds: null, size: null, seed: null, callback_url: null, frame_images: null };
    expect(json(nothing)).toMatchObject({ seconds: null, size: null, seed: null, callbackUrl: null, firstFrame: null });
  });
});

test('FILT-02 a reviewer reads the prompt, and what it makes of it goes on', () => {
  for (const request of [json({ duration: 8 }), form({ duration: '8' })]) {
    expect(passagesOf(request)).toEqual([{ origin: 'user', parts: ['A lake.'] }]);
    const changed = request.withTexts((text) => text.replace('lake', '[redacted]'));
    expect(changed).toMatchObject({ prompt: 'A [redacted].', seconds: 8 });
  }
});
