// The thread that counts tokens exactly. Loading a vocabulary takes a good part of a second, and merging takes its time
// too, so neither happens where calls are served. It is a plain script because it must start from the same file whether
// the gateway runs from its sources or from what is built of them.

import { parentPort } from 'node:worker_threads';

const vocabularies = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
};

/** Merging takes the square of a piece's length, and a stranger can send one piece of megabytes. */
const PIECE_LENGTH_MAX = 128;
const LONG_PIECE = /[\p{L}\p{M}]{129,}|[^\s\p{L}\p{N}]{129,}|\s{129,}/gu;

/** Text is data here, even where it spells a control token. */
const PLAIN = { disallowedSpecial: new Set() };

function countText(text, countTokens) {
  let tokens = 0;
  let end = 0;
  for (const match of text.matchAll(LONG_PIECE)) {
    tokens += countTokens(text.slice(end, match.index), PLAIN);
    end = match.index + match[0].length;
    for (let start = match.index; start < end; start += PIECE_LENGTH_MAX) {
      tokens += countTokens(text.slice(start, Math.min(end, start + PIECE_LENGTH_MAX)), PLAIN);
    }
  }
  return tokens + countTokens(text.slice(end), PLAIN);
}

parentPort?.on('message', async ({ id, tokenizer, groups }) => {
  const { countTokens, clearMergeCache } = await vocabularies[tokenizer]();
  const counts = groups.map((texts) => texts.reduce((tokens, text) => tokens + countText(text, countTokens), 0));
  // What was merged is kept by the library for next time; a caller's words must not stay in memory.
  clearMergeCache();
  parentPort?.postMessage({ id, counts });
});
