// Seals an upstream's key for its place, so that a row copied to another organization, or under another id, cannot be
// opened.

import { open, type SealingKey, seal } from '../../platform/crypto.ts';
import type { SealedColumn } from '../../platform/sealed-column.ts';

type Place = Readonly<{ orgId: string; id: string }>;

const MASK = '********';
const SHOWN_LENGTH = 4;
/** Showing four characters of a shorter key would show too much of it. */
const SHOWN_LENGTH_MIN = 16;

const placeOf = ({ orgId, id }: Place): string => `byok ${orgId} ${id}`;

export const sealKey = (sealingKey: SealingKey, apiKey: string, place: Place): string =>
  seal(sealingKey, apiKey, placeOf(place));

/** Null when it was sealed elsewhere, or with another secret. */
export const openKey = (sealingKey: SealingKey, sealed: string, place: Place): string | null =>
  open(sealingKey, sealed, placeOf(place));

export function maskKey(apiKey: string): string {
  return apiKey.length < SHOWN_LENGTH_MIN ? MASK : MASK + apiKey.slice(-SHOWN_LENGTH);
}

export const sealedColumns: readonly SealedColumn[] = [
  {
    ...{ table: 'byok_keys', key: { id: 'text' }, also: ['org_id'], column: 'sealed_api_key', type: 'text' },
    purposes: ['byok'],
    boundTo: ({ org_id: orgId = '', id = '' }) => placeOf({ orgId, id }),
  },
];
