// A call's tokens and cost as lines to read. What a call did not use is left out.

import type { Generation } from '../../api/generations.ts';
import { formatCount, formatUsd } from '../../ui/format.ts';

type Line = readonly [name: string, value: string];

export function tokenFacts(usage: Generation['usage']): readonly Line[] {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  const details: readonly (readonly [string, number])[] = [
    ['of which from the cache', prompt.cached_tokens],
    ['of which written to the cache', prompt.cache_write_tokens],
    ['of which sound', prompt.audio_tokens],
  ];
  const outputs: readonly (readonly [string, number])[] = [
    ['of which reasoning', completion.reasoning_tokens],
    ['of which pictures', completion.image_tokens],
  ];
  return [
    ['In', formatCount(usage.prompt_tokens)],
    ...linesOf(details),
    ['Out', formatCount(usage.completion_tokens)],
    ...linesOf(outputs),
    ['In all', formatCount(usage.total_tokens)],
  ];
}

const linesOf = (details: readonly (readonly [string, number])[]): readonly Line[] =>
  details.filter(([, count]) => count > 0).map(([name, count]) => [name, formatCount(count)]);

export function costFacts(generation: Pick<Generation, 'cost_breakdown' | 'refunded'>): readonly Line[] {
  const { cost_breakdown: breakdown, refunded } = generation;
  const lines: Line[] = [['At list price', formatUsd(breakdown.subtotal)]];
  if (breakdown.cache_discount !== 0) lines.push(['Saved by the cache', formatUsd(-breakdown.cache_discount)]);
  lines.push(['Charged', formatUsd(breakdown.total)]);
  return refunded === 0 ? lines : [...lines, ['Given back', formatUsd(refunded)]];
}
