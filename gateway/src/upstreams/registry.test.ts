// A protocol or operation that does not exist is absent, and that is how routing knows.

import { expect, test } from 'vitest';
import type { Provider } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { protocolNames } from '../modules/catalog/protocols.ts';
import type { CodecRoute } from './protocol.ts';
import { codecOf, protocolOf, registeredNames } from './registry.ts';

const call = { method: 'POST', url: 'https://x.test/v1/chat', headers: [], body: '{}', nowMs: 0 } as const;
const provider = { apiKey: 'secret' } as Provider;

test('the openai protocol speaks chat and sends its key as a bearer token', () => {
  const protocol = protocolOf('openai');
  expect(protocol?.authorize(call, provider, '')).toEqual(['authorization', 'Bearer secret']);
  expect(protocol?.codecs.chat).toBeDefined();
  expect(protocol?.codecs.embeddings).toBeDefined();
  expect(protocolOf('anthropic')?.codecs.embeddings).toBeUndefined();
});

test('every protocol that the config file may name is spoken, and none besides', () => {
  expect([...registeredNames()].sort()).toEqual([...protocolNames].sort());
});

test('a guardrail of the operator’s is not gone round by a client of Anthropic’s format', () => {
  const request = { operation: 'chat', format: 'messages', needs: {} } as CanonicalRequest;
  const formatAt = (settings: Record<string, string>): string | undefined => {
    const at = { protocol: 'bedrock', speaksResponses: false, settings } as unknown as Provider;
    return codecOf({ provider: at, upstreamModel: 'anthropic.claude-x' } as CodecRoute, request)?.format;
  };
  expect(formatAt({})).toBe('messages');
  // Only Converse takes a guardrail in its body.
  expect(formatAt({ guardrail_id: 'g1' })).toBe('native');
});

test('a provider that speaks Responses is asked in chat completions for what only those have', () => {
  const at = { protocol: 'openai', speaksResponses: true } as Provider;
  const formatOf = (upstreamModel: string, format: string, body: object = {}): string | undefined => {
    const request = { operation: 'chat', format, needs: {}, choiceCount: 1, body } as CanonicalRequest;
    return codecOf({ provider: at, upstreamModel } as CodecRoute, request)?.format;
  };
  for (const format of ['chat', 'messages', 'responses']) {
    expect(formatOf('gpt-5.6', format)).toBe('responses');
    for (const model of ['gpt-4o-mini-search-preview-2025-03-11', 'gpt-5-search-api', 'gpt-audio']) {
      expect(formatOf(model, format), `${model} ${format}`).toBe('chat');
    }
  }
  expect(formatOf('gpt-4.1', 'chat', { prediction: { type: 'content', content: 'x' } })).toBe('chat');
  expect(formatOf('gpt-4.1', 'chat', { prediction: null, frequency_penalty: 0, logprobs: false })).toBe('responses');
  for (const wish of [{ stop: ['END'] }, { stop_sequences: ['END'] }, { seed: 0 }, { logit_bias: { 1: 5 } }]) {
    expect(formatOf('gpt-4o-mini', 'chat', wish), JSON.stringify(wish)).toBe('chat');
    // Models that think refuse these in chat completions, and are answered without.
    expect(formatOf('gpt-5.6', 'chat', wish), JSON.stringify(wish)).toBe('responses');
  }
});

test('ROUTE-12 a conversation is made shorter only where a provider speaks Responses', () => {
  const request = {
    operation: 'chat',
    format: 'responses',
    isCompaction: true,
    needs: {},
    body: {},
  } as CanonicalRequest;
  const formatAt = (protocol: string, speaksResponses: boolean): string | undefined =>
    codecOf({ provider: { protocol, speaksResponses }, upstreamModel: 'gpt-5.6' } as CodecRoute, request)?.format;
  expect(formatAt('openai', true)).toBe('responses');
  expect(formatAt('azure', true)).toBe('responses');
  expect(formatAt('openai', false)).toBeUndefined();
  expect(formatAt('anthropic', false)).toBeUndefined();
});
