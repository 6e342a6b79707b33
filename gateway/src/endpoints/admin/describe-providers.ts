// OpenAPI descriptions of the operator's routes for connecting providers and keeping prices.

import { Type } from '@sinclair/typebox';
import { AppliedConfig } from '../../contract/config-revisions.ts';
import {
  ConnectBody,
  ConnectedAnswer,
  DiscoverBody,
  DiscoveryAnswer,
  PriceFindingsAnswer,
  PricesAnswer,
  PriceUpdateAnswer,
  ProviderKeyBody,
  ProviderList,
  ProviderTestAnswer,
  VendorList,
} from '../../contract/providers.ts';
import type { Descriptions } from '../docs/description.ts';
import { dryRun } from '../docs/queries.ts';
import { UpdatePricesBody } from './prices.ts';

const tag = 'Operator';

export const providerDescriptions: Descriptions = {
  'GET /admin/v1/vendors': {
    tag,
    summary: 'List the vendors that can be connected',
    answers: { 200: { json: VendorList } },
  },
  'GET /admin/v1/providers': {
    tag,
    summary: 'List the providers that are connected',
    answers: { 200: { json: ProviderList } },
  },
  'POST /admin/v1/providers/discover': {
    tag,
    summary: 'See what a vendor offers to a key',
    notes: "Fetches the vendor's list of models and changes nothing. If the vendor refuses, the answer says why.",
    body: DiscoverBody,
    answers: { 200: { json: DiscoveryAnswer } },
    example: { body: { preset: 'vllm', baseUrl: '$UPSTREAM_URL', apiKey: '$UPSTREAM_KEY' } },
  },
  'POST /admin/v1/providers': {
    tag,
    summary: 'Connect a vendor',
    notes:
      'Lists the models, sends a small call to one of them, and adds the chosen ones at the prices of the price book. Nothing is changed when the vendor refuses. The same request with another key replaces the key.',
    query: Type.Object(dryRun),
    body: ConnectBody,
    answers: { 200: { json: ConnectedAnswer } },
    errors: ['http_409'],
    example: {
      query: 'dry_run=true',
      body: { preset: 'vllm', baseUrl: '$UPSTREAM_URL', apiKey: '$UPSTREAM_KEY', all: true },
    },
  },
  'PUT /admin/v1/providers/:name/keys/:key': {
    tag,
    summary: 'Set a key of a provider',
    notes:
      'Adds a key, or replaces the key of this name after the new one has passed a test. Without `apiKey` only the weight changes. Calls are spread over keys by weight; a key that is refused or limited is not used for a while, and the call goes on with another.',
    body: ProviderKeyBody,
    answers: { 200: { json: AppliedConfig } },
    example: { body: { apiKey: '$UPSTREAM_KEY', weight: 1 } },
  },
  'DELETE /admin/v1/providers/:name/keys/:key': {
    tag,
    summary: 'Remove a key of a provider',
    notes: 'The only key cannot be removed.',
    query: Type.Object(dryRun),
    answers: { 200: { json: AppliedConfig } },
  },
  'POST /admin/v1/providers/:name/test': {
    tag,
    summary: 'Test a provider',
    notes: 'Fetches its list of models and sends one model a small call, which the vendor bills.',
    answers: { 200: { json: ProviderTestAnswer } },
  },
  'GET /admin/v1/prices': {
    tag,
    summary: 'Look up a price',
    query: Type.Object({ model: Type.String({ description: "A model's id, or the vendor's name for it." }) }),
    answers: { 200: { json: PricesAnswer } },
    example: { query: 'model=whisper-1' },
  },
  'GET /admin/v1/prices/findings': {
    tag,
    summary: 'List prices that may be wrong',
    notes:
      'Models without a price, sold below what their vendor charges, or priced in a wrong unit, and newer prices that cannot be read.',
    answers: { 200: { json: PriceFindingsAnswer } },
  },
  'POST /admin/v1/prices/update': {
    tag,
    summary: 'Bring prices up to date with the price book',
    notes:
      'Fetches newer prices if the network allows it. Only models whose prices are from the price book are changed.',
    query: Type.Object(dryRun),
    body: UpdatePricesBody,
    answers: { 200: { json: PriceUpdateAnswer } },
    errors: ['http_409'],
    example: { query: 'dry_run=true', body: {} },
  },
};
