// The labelled prompts of the auto router, and which of them may be learnt from. A hash of a prompt's text decides its
// part: adding or reordering prompts moves none of the others, and nobody chooses what is tested.

import { readFileSync } from 'node:fs';
import type { AutoTier } from '../../gateway/src/contract/config.ts';
import type { AutoInput } from '../../gateway/src/modules/routing/auto/signals.ts';

type NeedName = keyof AutoInput['needs'];

export type LabelledPrompt = Readonly<{
  tier: AutoTier;
  language: string;
  text: string;
  system?: string;
  tools?: readonly string[];
  /** Messages so far, where there is more than one. */
  turns?: number;
  /** For the whole conversation, where it is more than the text. */
  promptTokens?: number;
  needs?: readonly NeedName[];
}>;

const FILE = new URL('../../gateway/catalog/auto/prompts.jsonl', import.meta.url);
const HELD_OUT_PERCENT = 28;
const CHARACTERS_PER_TOKEN = 3;

export function readPrompts(): readonly LabelledPrompt[] {
  const lines = readFileSync(FILE, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LabelledPrompt);
}

export const isHeldOut = (prompt: LabelledPrompt): boolean => hashOf(prompt.text) % 100 < HELD_OUT_PERCENT;

/** FNV-1a. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193);
  // The low bits of short texts are uneven until they are mixed with the high ones.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}

export function inputOf(prompt: LabelledPrompt): AutoInput {
  const { text, system = '', tools = [], needs = [], turns = 1 } = prompt;
  const ownTokens = Math.ceil((text.length + system.length) / CHARACTERS_PER_TOKEN);
  return {
    text,
    context: [system, ...tools.map((name) => name.replaceAll('_', ' '))].join(' ').trim(),
    needs: {
      tools: tools.length > 0,
      imageInput: needs.includes('imageInput'),
      videoInput: needs.includes('videoInput'),
      imageOutput: needs.includes('imageOutput'),
    },
    messageCount: turns,
    promptTokens: prompt.promptTokens ?? ownTokens,
  };
}
