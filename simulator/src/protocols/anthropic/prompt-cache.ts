// The prompt cache: a marked prefix is read from it the next time, also when the conversation has grown and the marker
// has moved. Unlike the real one it has no minimum size and drops entries only when it is full.

import { createHash } from 'node:crypto';
import type { PromptBlock } from './prompt-blocks.ts';

const PREFIXES_MAX = 2_000;

export type CacheUse = Readonly<{ readTokens: number; written5mTokens: number; written1hTokens: number }>;

export type PromptCache = Readonly<{ use(blocks: readonly PromptBlock[]): CacheUse }>;

const UNUSED: CacheUse = { readTokens: 0, written5mTokens: 0, written1hTokens: 0 };

type Boundary = Readonly<{ key: string; tokens: number; block: PromptBlock }>;

function boundariesOf(blocks: readonly PromptBlock[]): readonly Boundary[] {
  const hash = createHash('sha1');
  let tokens = 0;
  return blocks.map((block) => {
    hash.update(`${block.text}\n`);
    tokens += block.tokens;
    return { key: hash.copy().digest('base64'), tokens, block };
  });
}

export function createPromptCache(): PromptCache {
  const known = new Set<string>();

  const remember = (key: string): void => {
    known.add(key);
    if (known.size <= PREFIXES_MAX) return;
    for (const oldest of known) {
      known.delete(oldest);
      return;
    }
  };

  return {
    use(blocks) {
      if (blocks.every((block) => block.cacheLifetime === undefined)) return UNUSED;
      const boundaries = boundariesOf(blocks);
      const marked = boundaries.filter(({ block }) => block.cacheLifetime !== undefined);
      const last = marked.at(-1);
      if (last === undefined) return UNUSED;
      const reachable = boundaries.slice(0, boundaries.indexOf(last) + 1);
      const readTokens = reachable.findLast(({ key }) => known.has(key))?.tokens ?? 0;
      for (const { key } of marked) remember(key);
      const writtenTokens = last.tokens - readTokens;
      return last.block.cacheLifetime === '1h'
        ? { readTokens, written5mTokens: 0, written1hTokens: writtenTokens }
        : { readTokens, written5mTokens: writtenTokens, written1hTokens: 0 };
    },
  };
}
