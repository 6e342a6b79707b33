// The usage of a call, as the caller sees it.

import { expect, test } from 'vitest';
import { zeroUsage } from '../../canonical/usage.ts';
import { renderChatUsage } from './render-usage.ts';

test('CHAT-36 CHAT-37 the required members are there even at zero, the optional ones are not', () => {
  expect(renderChatUsage(zeroUsage, 0)).toEqual({
    prompt_tokens: 0,
    completion_tokens: 0,
    total_tokens: 0,
    cost: 0,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  });
});

test('CHAT-36 CHAT-37 CHAT-41 every count has its place', () => {
  const usage = {
    promptTokens: 100,
    completionTokens: 50,
    cachedTokens: 60,
    cacheWriteTokens: 20,
    reasoningTokens: 30,
    promptAudioTokens: 5,
    completionImageTokens: 7,
  };
  expect(renderChatUsage(usage, 0.00125)).toEqual({
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 150,
    cost: 0.00125,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 20, audio_tokens: 5 },
    completion_tokens_details: { reasoning_tokens: 30, image_tokens: 7 },
  });
});
