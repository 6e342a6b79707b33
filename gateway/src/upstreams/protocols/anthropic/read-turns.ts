// The turns of one answer, where its usage record lists them. The record's totals leave out turns that summarized the
// conversation and turns of an adviser, which are billed all the same; a turn that was declined without output is not.

import { isJsonObject, type JsonObject, textOrEmpty } from '../../../canonical/json.ts';
import { type ExclusiveCounts, readCounts } from './exclusive-counts.ts';

export type CountedTurn = Readonly<{ counts: ExclusiveCounts }> &
  Readonly<{ kind: 'own'; isSummary: boolean } | { kind: 'substitute' | 'advice'; upstreamModel: string }>;

/** An answer has a few turns; a longer list is not believed. */
const TURNS_MAX = 1_000;

/** Null where there is no list. */
export function readTurns(list: unknown): readonly CountedTurn[] | null | 'invalid' {
  if (list === undefined || list === null) return null;
  if (!Array.isArray(list) || list.length > TURNS_MAX) return 'invalid';
  const turns: CountedTurn[] = [];
  for (const item of list) {
    const counts = isJsonObject(item) ? readCounts(item) : null;
    if (counts === null) return 'invalid';
    turns.push(turnOf(item as JsonObject, counts));
  }
  const isReplaced = turns.some(({ kind }) => kind === 'substitute');
  return isReplaced ? turns.filter(({ kind, counts }) => kind !== 'own' || counts.outputTokens > 0) : turns;
}

function turnOf({ type, model }: JsonObject, counts: ExclusiveCounts): CountedTurn {
  const upstreamModel = textOrEmpty(model);
  if (type === 'advisor_message') return { kind: 'advice', upstreamModel, counts };
  if (type === 'fallback_message') return { kind: 'substitute', upstreamModel, counts };
  return { kind: 'own', isSummary: type === 'compaction', counts };
}
