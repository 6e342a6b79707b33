// The listing's bytes, made once for each snapshot, day and set of modalities, because anybody may ask for it as often
// as they like. Only the day counts, because retirement and its notice begin at midnight (UTC).

import { type AllowedModels, isModelAllowed } from '../../canonical/allowed-models.ts';
import type { OutputModality } from '../../canonical/model.ts';
import { windowStartMs } from '../../canonical/spend-window.ts';
import { OUTPUT_MODALITIES } from '../../contract/config.ts';
import type { PublicModel, PublicModelList } from '../../contract/models.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { CatalogSnapshot } from '../../modules/catalog/snapshot.ts';
import { isListed, publicFreeModel, publicModel } from './public-model.ts';

/** Sets of modalities kept at once; a stranger may ask for every set. */
const LISTINGS_MAX = 16;

type ModalityFilter = ReadonlySet<OutputModality> | 'all';

/** What a listing contains; the caller's organization may allow only some models. */
type ListingFilter = Readonly<{ modalities: ModalityFilter; allowedModels: AllowedModels | null }>;

type DayListings = Readonly<{ dayMs: number; listings: Map<string, Buffer> }>;

const listingsBySnapshot = new WeakMap<CatalogSnapshot, DayListings>();

export function listingBytes(snapshot: CatalogSnapshot, filter: ListingFilter, nowMs: number): Buffer {
  // Made for each request: there are as many of these as there are lists, and few ask.
  if (filter.allowedModels !== null) return Buffer.from(JSON.stringify(listModels(snapshot, filter, nowMs)));
  const dayMs = windowStartMs('day', nowMs);
  let kept = listingsBySnapshot.get(snapshot);
  if (kept === undefined || kept.dayMs !== dayMs) {
    kept = { dayMs, listings: new Map() };
    listingsBySnapshot.set(snapshot, kept);
  }
  const { modalities } = filter;
  const key = modalities === 'all' ? 'all' : [...modalities].sort().join();
  let bytes = kept.listings.get(key);
  if (bytes === undefined) {
    bytes = Buffer.from(JSON.stringify(listModels(snapshot, filter, nowMs)));
    if (kept.listings.size >= LISTINGS_MAX) kept.listings.clear();
    kept.listings.set(key, bytes);
  }
  return bytes;
}

export function listModels(
  snapshot: CatalogSnapshot,
  { modalities, allowedModels }: ListingFilter,
  nowMs: number,
): PublicModelList {
  const data: PublicModel[] = [];
  for (const model of snapshot.models) {
    if (!isListed(model, nowMs) || !isModelAllowed(allowedModels, model.id)) continue;
    if (modalities !== 'all' && !model.outputModalities.some((modality) => modalities.has(modality))) continue;
    data.push(publicModel(model, nowMs));
    if (model.free !== null) data.push(publicFreeModel(model, nowMs));
  }
  return { object: 'list', data, total_count: data.length, has_more: false, links: { next: null } };
}

/** `output_modalities`: a comma-separated union, `all`, or text models where it is not sent. */
export function parseModalityFilter(queryText: string): ModalityFilter {
  const values = new URLSearchParams(queryText)
    .getAll('output_modalities')
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
  if (values.length === 0) return new Set(['text']);
  const isAll = values.includes('all');
  const modalities = values.filter((value) => value !== 'all').map(modalityOf);
  return isAll ? 'all' : new Set(modalities);
}

function modalityOf(value: string): OutputModality {
  const known = OUTPUT_MODALITIES.find((modality) => modality === value);
  if (known !== undefined) return known;
  throw new ApiError('unsupported_param', `output_modalities takes all or any of ${OUTPUT_MODALITIES.join(', ')}.`);
}
