// Which claims of an issuer decide a member's role and team. A claim is a text or a list of texts; the first rule that
// fits counts. Where none fits, a newcomer becomes a plain member and others keep their place.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { OrgRole } from '../../../contract/org-management.ts';

export type SignOnRules = Readonly<{
  roles: readonly Readonly<{ claim: string; value: string; role: OrgRole }>[];
  teams: readonly Readonly<{ claim: string; value: string; teamId: string }>[];
}>;

const NO_RULES: SignOnRules = { roles: [], teams: [] };

export function readRules(stored: unknown): SignOnRules {
  return isJsonObject(stored) ? { ...NO_RULES, ...(stored as unknown as SignOnRules) } : NO_RULES;
}

type SignOnPlace = Readonly<{ role: OrgRole | undefined; teamId: string | undefined }>;

export function placeOf({ roles, teams }: SignOnRules, claims: JsonObject): SignOnPlace {
  const fits = ({ claim, value }: Readonly<{ claim: string; value: string }>): boolean =>
    [claims[claim]].flat().includes(value);
  return { role: roles.find(fits)?.role, teamId: teams.find(fits)?.teamId };
}
