// OpenAPI descriptions of the listings of models.

import { Type } from '@sinclair/typebox';
import { ModelRoutesAnswer } from '../../contract/health.ts';
import { PublicModel, PublicModelList } from '../../contract/models.ts';
import type { Descriptions } from '../docs/description.ts';
import { optional } from '../docs/queries.ts';

const notes = "No key is needed; with an organization's key only the models that it allows are shown.";

export const modelDescriptions: Descriptions = {
  'GET /v1/models': {
    tag: 'Models',
    summary: 'List models',
    notes,
    query: Type.Object({
      output_modalities: optional('`all`, or some of text, image, video, ..., separated by commas; default: text.'),
    }),
    answers: { 200: { json: PublicModelList } },
    errors: ['unsupported_param', 'http_429'],
    example: { query: 'output_modalities=all' },
  },
  'GET /v1/models/:slug': {
    tag: 'Models',
    summary: 'Read a model',
    notes: `The slug is the id with a dash in place of the slash. ${notes}`,
    answers: { 200: { json: PublicModel } },
    errors: ['model_not_found', 'model_retired', 'http_429'],
  },
  'GET /v1/models/:vendor/:name': {
    tag: 'Models',
    summary: 'Read a model by its id',
    notes,
    answers: { 200: { json: PublicModel } },
    errors: ['model_not_found', 'model_retired', 'http_429'],
  },
  'GET /api/models/:slug/routes': {
    tag: 'Models',
    summary: 'Read the health of the routes of a model',
    notes: 'Present figures are from the process that answers, the history is from all processes.',
    answers: { 200: { json: ModelRoutesAnswer } },
    errors: ['model_not_found', 'model_retired'],
  },
  'GET /api/site/models/:slug/routes': {
    tag: 'Models',
    summary: 'Read the health of the routes of a model, without signing in',
    notes: 'Only if the operator shows models to everybody.',
    answers: { 200: { json: ModelRoutesAnswer } },
    errors: ['model_not_found', 'model_retired', 'http_429'],
  },
  'GET /v1/images/models': {
    tag: 'Models',
    summary: 'List models that make pictures',
    notes,
    answers: { 200: { json: PublicModelList } },
    errors: ['http_429'],
  },
};
