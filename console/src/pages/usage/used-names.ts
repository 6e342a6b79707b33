// What an account has used, to choose from.

import type { UsageAnswer } from '../../../../gateway/src/contract/usage.ts';
import type { Choice } from '../../ui/choices.tsx';

type UsedNames = Readonly<{ models: readonly Choice[]; keys: readonly Choice[]; apps: readonly Choice[] }>;

export const usedNames = (usage: UsageAnswer | null): UsedNames => ({
  models: usage?.byModel.map(({ model }): Choice => [model, model]) ?? [],
  keys: usage?.byKey.map(({ keyId, keyName }): Choice => [keyId, keyName ?? keyId]) ?? [],
  apps: usage?.byApp.flatMap(({ appName }): Choice[] => (appName === null ? [] : [[appName, appName]])) ?? [],
});
