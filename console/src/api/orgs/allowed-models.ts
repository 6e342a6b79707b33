// The models that an organization, its teams and its members may use.

import { queryOptions } from '@tanstack/react-query';
import type { AllowedModelsAnswer } from '../../../../gateway/src/contract/org-management.ts';
import { request } from '../request.ts';
import { orgApiPath, orgKeyOf } from './organizations.ts';
import { type Scope, scopePath, scopeText } from './scopes.ts';

export type ModelList = AllowedModelsAnswer;

const path = (orgId: string, scope: Scope): string => orgApiPath(orgId, `${scopePath(scope)}/allowed-models`);

export const modelListQuery = (orgId: string, scope: Scope) =>
  queryOptions({
    queryKey: [...orgKeyOf(orgId), 'allowed-models', scopeText(scope)],
    queryFn: () => request<ModelList>('GET', path(orgId, scope)),
  });

export const replaceModelList = (orgId: string, scope: Scope, allowedModels: readonly string[]) =>
  request<ModelList>('PATCH', path(orgId, scope), { body: { allowedModels } });
