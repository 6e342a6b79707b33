// Decides which turns of a conversation stay when it is too long: the beginning and the end, as much of both as there
// is room for, the end first. One stretch in the middle is left out.

import type { TokenizerName } from '../../canonical/model.ts';
import type { Turn } from '../../canonical/turns.ts';
import { addCounts, type Count, countEach, roughCount, totalOf } from './count.ts';
import type { Measure } from './measure.ts';

export type Prompt = Readonly<{
  turns: readonly Turn[];
  /** Of each turn, in the same order. */
  measures: readonly Measure[];
  frame: Measure;
}>;

type Shortened = Readonly<{ kept: ReadonlySet<number>; count: Count }>;

/**
 * Keeps what fits into `roomTokens`, and at least what must always stay; the caller checks whether that is too much.
 */
export async function shorten(prompt: Prompt, roomTokens: number, tokenizer: TokenizerName | null): Promise<Shortened> {
  const blocks = blocksOf(prompt.turns);
  const pinned = blocks.filter(({ isPinned }) => isPinned);
  const optional = outsideIn(blocks.filter(({ isPinned }) => !isPinned));
  const base = [prompt.frame, ...measuresIn(pinned, prompt)];
  const promising = withinReach(optional, prompt, roomTokens - totalOf(base.map(roughCount)).low);
  const groups = [base, ...promising.map((block) => measuresIn([block], prompt))];
  const [baseCount, ...counts] = await countGroups(groups, tokenizer);

  let count = baseCount ?? totalOf([]);
  const chosen: Block[] = [];
  for (const [index, block] of promising.entries()) {
    const next = addCounts(count, counts[index] ?? totalOf([]));
    if (next.high > roomTokens) break;
    count = next;
    chosen.push(block);
  }
  const kept = chosen.length < optional.length ? withoutClash(pinned, chosen, prompt.turns) : [...pinned, ...chosen];
  return { kept: indexesOf(kept), count };
}

/** The newest, the oldest, the second newest, the second oldest, and so on to the middle. */
function outsideIn(blocks: readonly Block[]): readonly Block[] {
  const ordered: Block[] = [];
  for (let oldest = 0, newest = blocks.length - 1; oldest <= newest; oldest += 1, newest -= 1) {
    ordered.push(...blocks.slice(newest, newest + 1), ...(oldest < newest ? blocks.slice(oldest, oldest + 1) : []));
  }
  return ordered;
}

/** The blocks that could fit if the true counts were as low as possible; no others are worth counting. */
function withinReach(blocks: readonly Block[], prompt: Prompt, roomTokens: number): readonly Block[] {
  let left = roomTokens;
  const firstBeyond = blocks.findIndex((block) => {
    left -= totalOf(measuresIn([block], prompt).map(roughCount)).low;
    return left < 0;
  });
  return firstBeyond === -1 ? blocks : blocks.slice(0, firstBeyond);
}

async function countGroups(
  groups: readonly (readonly Measure[])[],
  tokenizer: TokenizerName | null,
): Promise<readonly Count[]> {
  const counts = await countEach(groups.flat(), tokenizer);
  let offset = 0;
  return groups.map((group) => {
    offset += group.length;
    return totalOf(counts.slice(offset - group.length, offset));
  });
}

/**
 * Small models often require that user and assistant take turns. Where the cut makes one of them speak twice in a row,
 * one or two more blocks are left out, if that helps.
 */
function withoutClash(pinned: readonly Block[], chosen: readonly Block[], turns: readonly Turn[]): readonly Block[] {
  for (const more of [0, 1, 2]) {
    if (more > chosen.length) break;
    const kept = [...pinned, ...chosen.slice(0, chosen.length - more)];
    if (!clashes(indexesOf(kept), turns)) return kept;
  }
  return [...pinned, ...chosen];
}

function clashes(kept: ReadonlySet<number>, turns: readonly Turn[]): boolean {
  let before: number | null = null;
  for (const [index, { role }] of turns.entries()) {
    if (!kept.has(index) || role === 'system') continue;
    const isCut = before !== null && turns.slice(before + 1, index).some((turn) => turn.role !== 'system');
    if (isCut && before !== null && turns[before]?.role === role && role !== 'tool') return true;
    before = index;
  }
  return false;
}

function measuresIn(blocks: readonly Block[], prompt: Prompt): readonly Measure[] {
  return blocks.flatMap(({ start, end }) => prompt.measures.slice(start, end));
}

function indexesOf(blocks: readonly Block[]): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const { start, end } of blocks) for (let index = start; index < end; index += 1) indexes.add(index);
  return indexes;
}

// Which parts of a conversation may be left out, in blocks that make sense by themselves: a tool call goes with its
// results, and the instructions, the user's first and last message and the latest entry always stay.

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
    // A member may reach further than the end of the block so far.
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
    // Some clients number their calls anew in every turn, so a result belongs to the latest call with its id.
    for (const id of turn.calls) callers.set(id, index);
  }
  return last;
}

function pinnedIndexes(turns: readonly Turn[]): ReadonlySet<number> {
  const fromSystem = turns.flatMap(({ role }, index) => (role === 'system' ? [index] : []));
  const isFromUser = ({ role }: Turn): boolean => role === 'user';
  return new Set([...fromSystem, turns.findIndex(isFromUser), turns.findLastIndex(isFromUser), turns.length - 1]);
}
