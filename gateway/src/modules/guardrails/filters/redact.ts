// Replaces every match by [REDACTED] and leaves every other character as it is. Overlapping matches become one; a match
// over several parts leaves its mark in each, so that no part becomes empty.

import type { Passage, ReplacePart } from '../../../canonical/passage.ts';
import type { MatchSpan } from '../units.ts';

export const MARK = '[REDACTED]';

type Range = Readonly<{ start: number; end: number }>;

/** For `withTexts`, which asks for the parts in their order. */
export function redaction(passages: readonly Passage[], spans: readonly MatchSpan[]): ReplacePart {
  const ranges = rangesByPassage(spans);
  const parts = passages.flatMap((passage, index) => redactParts(passage.parts, ranges.get(index) ?? []));
  let next = 0;
  return (part) => {
    const replaced = parts[next];
    next += 1;
    return replaced ?? part;
  };
}

function rangesByPassage(spans: readonly MatchSpan[]): ReadonlyMap<number, readonly Range[]> {
  const byPassage = new Map<number, Range[]>();
  for (const { passage, start, end } of spans) {
    const ranges = byPassage.get(passage);
    if (ranges === undefined) byPassage.set(passage, [{ start, end }]);
    else ranges.push({ start, end });
  }
  return new Map([...byPassage].map(([passage, ranges]) => [passage, merge(ranges)]));
}

function merge(ranges: Range[]): readonly Range[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.sort((left, right) => left.start - right.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

function redactParts(parts: readonly string[], ranges: readonly Range[]): readonly string[] {
  if (ranges.length === 0) return parts;
  let base = 0;
  let first = 0;
  return parts.map((part) => {
    const end = base + part.length;
    while (first < ranges.length && (ranges[first]?.end ?? 0) <= base) first += 1;
    const own: Range[] = [];
    for (let index = first; index < ranges.length && (ranges[index]?.start ?? 0) < end; index += 1) {
      const { start, end: until } = ranges[index] as Range;
      own.push({ start: Math.max(0, start - base), end: Math.min(part.length, until - base) });
    }
    base = end;
    return own.length === 0 ? part : redactPart(part, own);
  });
}

function redactPart(part: string, ranges: readonly Range[]): string {
  const pieces: string[] = [];
  let offset = 0;
  for (const { start, end } of ranges) {
    pieces.push(part.slice(offset, start), MARK);
    offset = end;
  }
  pieces.push(part.slice(offset));
  return pieces.join('');
}
