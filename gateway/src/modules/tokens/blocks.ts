// What of a conversation may be left out, in pieces that make sense by themselves: a tool call goes with its results, and
// the instructions, the first and the last word of the user and the latest entry never go.

import type { Turn } from '../../canonical/turns.ts';

export type Block = Readonly<{
  /** Indexes of turns: from `start` up to, not including, `end`. */
  start: number;
  end: number;
  isPinned: boolean;
}>;

export function blocksOf(turns: readonly Turn[]): readonly Block[] {
  const pinned = pinnedIndexes(turns);
  const lastMembers = lastMemberOf(turns);
  const blocks: Block[] = [];
  let start = 0;
  while (start < turns.length) {
    let last = start;
    // A member may reach further than the block has come so far.
    for (let index = start; index <= last; index += 1) last = Math.max(last, lastMembers[index] ?? index);
    const end = Math.min(last + 1, turns.length);
    blocks.push({ start, end, isPinned: holdsAny(pinned, start, end) });
    start = end;
  }
  return blocks;
}

function holdsAny(pinned: ReadonlySet<number>, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) if (pinned.has(index)) return true;
  return false;
}

/** For each turn, the latest one that must stay with it. */
function lastMemberOf(turns: readonly Turn[]): readonly number[] {
  const last = turns.map((turn, index) => (turn.leadsToNext ? index + 1 : index));
  const callers = new Map<string, number>();
  for (const [index, turn] of turns.entries()) {
    for (const id of turn.answers) {
      const caller = callers.get(id);
      if (caller !== undefined) last[caller] = Math.max(last[caller] ?? caller, index);
    }
    // Some clients number their calls anew in every turn: an answer belongs to the latest call of its name.
    for (const id of turn.calls) callers.set(id, index);
  }
  return last;
}

function pinnedIndexes(turns: readonly Turn[]): ReadonlySet<number> {
  const fromSystem = turns.flatMap(({ role }, index) => (role === 'system' ? [index] : []));
  const isFromUser = ({ role }: Turn): boolean => role === 'user';
  return new Set([...fromSystem, turns.findIndex(isFromUser), turns.findLastIndex(isFromUser), turns.length - 1]);
}
