// The lists of models that an organization, its teams and its members may use. Replacing one applies from the next call
// on, in every process as soon as the notice arrives.

import { type AllowedModels, compileAllowedModels, effectiveList } from '../../canonical/allowed-models.ts';
import type { AuditActor } from '../../canonical/audit-entry.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { changeUnderLock, memberNotFound, type OrgChangeOptions, teamNotFound } from './change.ts';
import * as store from './store/allowed-models.ts';

export type Layer = store.Layer;

type LayerList = Readonly<{
  /** The list of this layer; empty when it has none. */
  allowedModels: readonly string[];
  /** The list together with those of the layers above; null when every model is allowed. */
  effective: readonly string[] | null;
}>;

export type ModelLists = Readonly<{
  /** 404 when the organization has no such team or member. */
  read(orgId: string, layer: Layer): Promise<LayerList>;
  replace(orgId: string, layer: Layer, list: readonly string[], actor: AuditActor): Promise<LayerList>;
}>;

const ACTIONS = {
  org: 'org.allowed_models.update',
  team: 'team.allowed_models.update',
  member: 'org_member.allowed_models.update',
} as const;

const TARGETS = { org: 'org', team: 'team', member: 'org_member' } as const;

export function createModelLists(options: OrgChangeOptions): ModelLists {
  return {
    read: async (orgId, layer) => toLayerList(await knownLists(options.database, orgId, layer), layer),
    replace: (orgId, layer, list, actor) =>
      changeUnderLock(options, orgId, async (transaction) => {
        const before = (await knownLists(transaction, orgId, layer))[layer.kind];
        const allowedModels = [...new Set(list)];
        await store.replaceList(transaction, orgId, layer, allowedModels);
        if (before.join() !== allowedModels.join()) {
          await options.record(transaction, {
            orgId,
            action: ACTIONS[layer.kind],
            actor,
            targetType: TARGETS[layer.kind],
            targetId: layer.kind === 'org' ? orgId : layer.id,
            before: { allowedModels: before },
            after: { allowedModels },
          });
        }
        return toLayerList(await knownLists(transaction, orgId, layer), layer);
      }),
  };
}

/** For the keys of an organization, when their caller is loaded. Null for a person who is not a member. */
export async function modelsOfMember(
  queryable: Queryable,
  orgId: string,
  userId: string,
): Promise<Readonly<{ allowedModels: AllowedModels | null }> | null> {
  const lists = await store.findListsOfUser(queryable, orgId, userId);
  return lists === null ? null : { allowedModels: compileAllowedModels([lists.org, lists.team, lists.member]) };
}

/** For callers in the organization's name who are not members. */
export async function modelsOfOrganization(queryable: Queryable, orgId: string): Promise<AllowedModels | null> {
  return compileAllowedModels([(await knownLists(queryable, orgId, { kind: 'org' })).org]);
}

async function knownLists(queryable: Queryable, orgId: string, layer: Layer): Promise<store.Lists> {
  const lists = await store.findLists(queryable, orgId, layer);
  if (lists === null) throw layer.kind === 'member' ? memberNotFound() : teamNotFound();
  return lists;
}

const toLayerList = (lists: store.Lists, layer: Layer): LayerList => ({
  allowedModels: lists[layer.kind],
  effective: effectiveList([lists.org, lists.team, lists.member]),
});
