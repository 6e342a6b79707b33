// OpenAPI descriptions of what is served besides the API: health, metrics, the console and this document.

import { Type } from '@sinclair/typebox';
import { AliveAnswer, ReadyAnswer } from '../../contract/health.ts';
import { SiteAnswer } from '../../contract/site.ts';
import type { Description, Descriptions } from '../docs/description.ts';

const tag = 'System';
const hello: Description = { tag, summary: 'Check that the gateway answers', answers: { 200: {} } };
const toConsole: Description = { tag, summary: 'Go to the console', answers: { 302: {} } };

export const systemDescriptions: Descriptions = {
  'GET /api/site': {
    tag,
    summary: 'Read public facts about this gateway',
    answers: { 200: { json: SiteAnswer } },
  },
  'GET /healthz': { tag, summary: 'Ask whether the process is alive', answers: { 200: { json: AliveAnswer } } },
  'GET /readyz': {
    tag,
    summary: 'Ask whether calls can be served',
    answers: { 200: { json: ReadyAnswer } },
    refusals: { 503: ReadyAnswer },
  },
  'GET /metrics': {
    tag,
    summary: 'Read figures for monitoring',
    notes: 'In the format of Prometheus. Requests from other machines need the operator token.',
    answers: { 200: { bytes: ['text/plain', 'application/openmetrics-text'] } },
    errors: ['http_401'],
  },
  'GET /openapi.json': {
    tag,
    summary: 'Read this description',
    notes: 'OpenAPI 3.1. The ETag shows whether it has changed.',
    answers: {
      200: { json: Type.Object({ openapi: Type.String() }, { additionalProperties: true, title: 'OpenApi' }) },
      304: {},
    },
  },
  'GET /docs': { tag, summary: 'Read this description as a page', answers: { 200: { bytes: ['text/html'] }, 304: {} } },
  'GET /docs/:file': {
    tag,
    summary: 'Read a file of the page',
    answers: { 200: { bytes: ['text/css', 'text/javascript'] }, 304: {} },
  },
  'HEAD /': hello,
  'HEAD /api/hello': hello,
  'GET /': toConsole,
  'GET /console': toConsole,
  'GET /console/*': {
    tag,
    summary: 'Read the console',
    answers: { 200: { bytes: ['text/html', 'text/css', 'text/javascript', 'image/svg+xml'] } },
    errors: ['http_404'],
  },
};
