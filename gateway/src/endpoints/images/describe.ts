// Pictures, described: made from words, made from pictures, and read again.

import { Type } from '@sinclair/typebox';
import {
  ImageEditForm,
  ImageEvent,
  ImageRequest,
  ImagesAnswer,
  InlineImageRequest,
  InlineImagesAnswer,
} from '../../contract/inference/images.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { OF_IMAGES } from '../docs/implied-errors.ts';

const proxy: Description = {
  tag: 'Images',
  summary: 'Read a picture',
  notes: 'By the address that an answer gave, for an hour. No key is needed.',
  answers: { 200: { bytes: ['image/*'] } },
};

export const imagesDescriptions: Descriptions = {
  'POST /v1/images/generations': {
    tag: 'Images',
    summary: 'Create pictures',
    notes: 'With `stream` the answer is a stream of events.',
    body: ImageRequest,
    answers: { 200: { json: ImagesAnswer, events: ImageEvent } },
    errors: OF_IMAGES,
    example: { model: 'image', body: { model: '$MODEL', prompt: 'A cat on a mat.' } },
  },
  'POST /v1/images': {
    tag: 'Images',
    summary: 'Create pictures, inside of the answer',
    notes: 'From words, or from pictures that are part of the request.',
    body: InlineImageRequest,
    answers: { 200: { json: Type.Union([InlineImagesAnswer, ImagesAnswer]), events: ImageEvent } },
    errors: [
      ...OF_IMAGES,
      'invalid_image_url',
      'invalid_image_type',
      'image_too_large',
      'too_many_images',
      'input_images_not_supported',
    ],
    example: { model: 'image', body: { model: '$MODEL', prompt: 'A cat on a mat.' } },
  },
  'POST /v1/images/edits': {
    tag: 'Images',
    summary: 'Edit pictures',
    notes: 'A form with up to eight files. Say in the prompt what is to be changed; masks are not taken.',
    form: ImageEditForm,
    answers: { 200: { json: ImagesAnswer, events: ImageEvent } },
    errors: [
      ...OF_IMAGES,
      'missing_image',
      'mask_not_supported',
      'invalid_content_type',
      'invalid_image_type',
      'image_too_large',
      'too_many_images',
      'input_images_not_supported',
    ],
    example: { model: 'edit', form: { image: '@cat.png', prompt: 'Make it brighter.', model: '$MODEL' } },
  },
  'GET /v1/images/proxy/:token': proxy,
  'HEAD /v1/images/proxy/:token': { ...proxy, summary: 'Ask about a picture', answers: { 200: {} } },
};
