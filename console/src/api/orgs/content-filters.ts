// The content filters of an organization, and trying a text on them without sending it anywhere.

import { queryOptions } from '@tanstack/react-query';
import type {
  ChangeFilterBody,
  FilterObject,
  FiltersAnswer,
  FilterTestAnswer,
} from '../../../../gateway/src/contract/guardrails.ts';
import { request } from '../request.ts';
import { orgApiPath, orgKeyOf } from './organizations.ts';

export type Filter = FilterObject;
export type FilterWish = Pick<FilterObject, 'name' | 'type' | 'pattern' | 'action' | 'appliesTo'>;
export type FilterChanges = ChangeFilterBody;
export type FilterTrial = FilterTestAnswer;

export const filtersQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...orgKeyOf(orgId), 'content-filters'],
    queryFn: async (): Promise<readonly Filter[]> =>
      (await request<FiltersAnswer>('GET', orgApiPath(orgId, '/content-filters'))).rules,
  });

const filterPath = (orgId: string, id: string): string =>
  orgApiPath(orgId, `/content-filters/${encodeURIComponent(id)}`);

export const createFilter = (orgId: string, body: FilterWish) =>
  request<Filter>('POST', orgApiPath(orgId, '/content-filters'), { body });

export const changeFilter = (orgId: string, id: string, body: FilterChanges) =>
  request<Filter>('PATCH', filterPath(orgId, id), { body });

export const deleteFilter = (orgId: string, id: string) => request<void>('DELETE', filterPath(orgId, id));

export const tryFilters = (orgId: string, text: string) =>
  request<FilterTrial>('POST', orgApiPath(orgId, '/content-filters/test'), { body: { text } });
