// The routes of SCIM 2.0. The token alone decides the organization.

import type { RouteRow } from '../../http/exchange.ts';
import type { Protect } from '../protect.ts';
import { byAddress, byBody } from './answers.ts';
import { readProviderConfig, readResourceTypes, readSchemas } from './discovery.ts';
import { createGroup, deleteGroup, listGroups, patchGroup, readGroup, replaceGroup } from './groups.ts';
import { createUser, deleteUser, listUsers, patchUser, readUser, replaceUser, type ScimServices } from './users.ts';

const row = { access: 'directory', errors: 'scim', bodyBytesMax: 2_097_152 } as const;

// biome-ignore format: a table reads best with one row a line.
export function scimRoutes(services: ScimServices, { directory }: Protect): readonly RouteRow[] {
  return [
    { ...row, method: 'GET', path: '/scim/v2/ServiceProviderConfig', handle: directory(readProviderConfig(services)) },
    { ...row, method: 'GET', path: '/scim/v2/ResourceTypes', handle: directory(readResourceTypes(services)) },
    { ...row, method: 'GET', path: '/scim/v2/ResourceTypes/:id', handle: directory(readResourceTypes(services)) },
    { ...row, method: 'GET', path: '/scim/v2/Schemas', handle: directory(readSchemas(services)) },
    { ...row, method: 'GET', path: '/scim/v2/Schemas/:id', handle: directory(readSchemas(services)) },
    { ...row, method: 'GET', path: '/scim/v2/Users', handle: directory(byAddress(listUsers(services))) },
    { ...row, method: 'POST', path: '/scim/v2/Users', handle: directory(createUser(services)) },
    { ...row, method: 'POST', path: '/scim/v2/Users/.search', handle: directory(byBody(listUsers(services))) },
    { ...row, method: 'GET', path: '/scim/v2/Users/:id', handle: directory(readUser(services)) },
    { ...row, method: 'PUT', path: '/scim/v2/Users/:id', handle: directory(replaceUser(services)) },
    { ...row, method: 'PATCH', path: '/scim/v2/Users/:id', handle: directory(patchUser(services)) },
    { ...row, method: 'DELETE', path: '/scim/v2/Users/:id', handle: directory(deleteUser(services)) },
    { ...row, method: 'GET', path: '/scim/v2/Groups', handle: directory(byAddress(listGroups(services))) },
    { ...row, method: 'POST', path: '/scim/v2/Groups', handle: directory(createGroup(services)) },
    { ...row, method: 'POST', path: '/scim/v2/Groups/.search', handle: directory(byBody(listGroups(services))) },
    { ...row, method: 'GET', path: '/scim/v2/Groups/:id', handle: directory(readGroup(services)) },
    { ...row, method: 'PUT', path: '/scim/v2/Groups/:id', handle: directory(replaceGroup(services)) },
    { ...row, method: 'PATCH', path: '/scim/v2/Groups/:id', handle: directory(patchGroup(services)) },
    { ...row, method: 'DELETE', path: '/scim/v2/Groups/:id', handle: directory(deleteGroup(services)) },
  ];
}
