// OpenAPI descriptions of videos. Two families of paths lead to the same jobs.

import { Type } from '@sinclair/typebox';
import { VideoJob, VideoJobList, VideoRequest } from '../../contract/inference/videos.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { OF_CALLS } from '../docs/implied-errors.ts';
import { limit, optional } from '../docs/queries.ts';
import { LIMIT_MAX } from './list.ts';

const submit: Description = {
  tag: 'Video',
  summary: 'Order a video',
  notes: 'The answer is a job. The most that it can cost is held until it is over; a failed job costs nothing.',
  body: VideoRequest,
  form: VideoRequest,
  answers: { 202: { json: VideoJob } },
  errors: [...OF_CALLS, 'invalid_image_url', 'invalid_content_type'],
  example: { model: 'video', body: { model: '$MODEL', prompt: 'A cat on a mat.' } },
};

const list: Description = {
  tag: 'Video',
  summary: 'List video jobs',
  query: Type.Object({
    after: optional('The `last_id` of the previous page.'),
    limit: limit(LIMIT_MAX),
  }),
  answers: { 200: { json: VideoJobList } },
};

const poll: Description = {
  tag: 'Video',
  summary: 'Read a video job',
  notes: 'Ask at most every five seconds.',
  answers: { 200: { json: VideoJob } },
};

const content: Description = {
  tag: 'Video',
  summary: 'Download a video',
  notes: 'The job must be completed. Byte ranges are supported.',
  query: Type.Object({
    index: Type.Optional(Type.Integer({ minimum: 0, description: 'Which of the videos; the first unless said.' })),
    variant: Type.Optional(Type.Literal('video')),
  }),
  answers: { 200: { bytes: ['video/mp4', 'video/*'] }, 206: { bytes: ['video/mp4', 'video/*'] } },
  errors: [
    'http_409',
    'http_416',
    'unsupported_param',
    'upstream_unreachable',
    'upstream_unavailable',
    'upstream_auth_failed',
    'upstream_rate_limited',
    'http_504',
  ],
  example: { options: ['-o video.mp4'] },
};

const head: Description = {
  ...content,
  summary: 'Ask about a video',
  answers: { 200: {}, 206: {} },
  example: {},
};

const onOtherPath = (description: Description): Description => ({
  ...description,
  summary: `${description.summary}, by its other path`,
});

export const videoDescriptions: Descriptions = {
  'POST /v1/videos': submit,
  'POST /v1/video/generations': onOtherPath(submit),
  'GET /v1/videos': list,
  'GET /v1/video/generations': onOtherPath(list),
  'GET /v1/videos/:id': poll,
  'GET /v1/video/generations/:id': onOtherPath(poll),
  'GET /v1/videos/:id/content': content,
  'HEAD /v1/videos/:id/content': head,
  'GET /v1/video/generations/:id/content': onOtherPath(content),
  'HEAD /v1/video/generations/:id/content': onOtherPath(head),
};
