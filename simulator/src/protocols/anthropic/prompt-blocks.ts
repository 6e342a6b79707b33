// The prompt of a Messages request as a list of blocks in the order in which the real API caches them: tools, system,
// messages. Counting and caching both read this list, so their figures always agree.

import { countTokens } from '../../content/text.ts';
import { type JsonObject, objectAt, objectsIn, stringAt } from '../../json.ts';

const TOKENS_PER_MESSAGE = 3;
const TOKENS_PER_MEDIA_BLOCK = 85;
const MEDIA_TYPES: ReadonlySet<unknown> = new Set(['image', 'document']);

export type PromptBlock = Readonly<{
  text: string;
  tokens: number;
  /** Set where the client asked for everything up to here to be cached. */
  cacheLifetime: '5m' | '1h' | undefined;
}>;

/** String content is one text block. */
export function blocksOf(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
}

export function textOf(content: unknown): string {
  return blocksOf(content)
    .map((block) => stringAt(block, 'text') ?? '')
    .join('');
}

function promptBlock(source: JsonObject, extraTokens: number): PromptBlock {
  const { cache_control: _, ...bare } = source;
  const marker = objectAt(source, 'cache_control');
  const text = JSON.stringify(bare);
  const spoken = stringAt(source, 'text') ?? text;
  const tokens = MEDIA_TYPES.has(source.type) ? TOKENS_PER_MEDIA_BLOCK : countTokens(spoken);
  const cacheLifetime = marker === undefined ? undefined : marker.ttl === '1h' ? '1h' : '5m';
  return { text, tokens: tokens + extraTokens, cacheLifetime };
}

export function readPromptBlocks(body: JsonObject): readonly PromptBlock[] {
  const tools = objectsIn(body.tools).map((tool) => promptBlock(tool, 0));
  const system = blocksOf(body.system).map((block) => promptBlock(block, 0));
  const messages = objectsIn(body.messages).flatMap((message) =>
    blocksOf(message.content).map((block, index) => {
      const counted = promptBlock(block, index === 0 ? TOKENS_PER_MESSAGE : 0);
      return { ...counted, text: `${String(message.role)}:${counted.text}` };
    }),
  );
  return [...tools, ...system, ...messages];
}

export function countPrompt(blocks: readonly PromptBlock[]): number {
  return blocks.reduce((sum, block) => sum + block.tokens, TOKENS_PER_MESSAGE);
}
