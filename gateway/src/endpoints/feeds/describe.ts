// OpenAPI descriptions of feeds: the same five requests for two kinds of owner.

import {
  ChangeFeedBody,
  FeedObject,
  FeedsAnswer,
  FeedTestAnswer,
  NewFeedAnswer,
  NewFeedBody,
} from '../../contract/feeds.ts';
import type { Descriptions } from '../docs/description.ts';

const tag = 'Feeds';

const described = (base: string, whose: string, example: Readonly<Record<string, unknown>>): Descriptions => ({
  [`GET ${base}`]: {
    tag,
    summary: `List ${whose} feeds`,
    notes: 'With the number of waiting and delivered records, and why the last attempt failed.',
    answers: { 200: { json: FeedsAnswer } },
  },
  [`POST ${base}`]: {
    tag,
    summary: `Add to ${whose} feeds`,
    notes:
      'Records of calls that end from now on are sent in batches, each at least once: `otlp` as spans and metrics of ' +
      "OpenTelemetry's conventions for generative AI, `http` as lines of JSON signed as Standard Webhooks describes, `s3` as " +
      'compressed lines in a bucket, and for the operator `file` as lines in the data folder. Addresses are https and ' +
      'not private. Prompts and answers are never sent.',
    body: NewFeedBody,
    answers: { 201: { json: NewFeedAnswer } },
    errors: ['http_409'],
    example: { body: example },
  },
  [`PATCH ${base}/:feedId`]: {
    tag,
    summary: `Change one of ${whose} feeds`,
    notes: 'When a feed is switched off, its waiting records are dropped.',
    body: ChangeFeedBody,
    answers: { 200: { json: FeedObject } },
    example: { body: { enabled: false } },
  },
  [`DELETE ${base}/:feedId`]: { tag, summary: `Delete one of ${whose} feeds`, answers: { 204: {} } },
  [`POST ${base}/:feedId/test`]: {
    tag,
    summary: `Test one of ${whose} feeds`,
    notes:
      'Sends the record of an invented call, of the model `tollgate/test`, and says whether the receiver took it. Works ' +
      'also while the feed is switched off, once in five seconds.',
    answers: { 200: { json: FeedTestAnswer } },
    errors: ['http_429'],
  },
});

export const feedDescriptions: Descriptions = {
  ...described('/api/orgs/:orgId/feeds', "an organization's", {
    name: 'Our collector',
    form: 'otlp',
    url: 'https://example.com',
    headers: [{ name: 'authorization', value: 'Bearer secret' }],
    signals: ['traces', 'metrics'],
  }),
  ...described('/admin/v1/feeds', "the operator's", { name: 'Every call', form: 'file', keepDays: 30 }),
};
