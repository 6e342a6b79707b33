// The table of names is compared with the SDKs that clients use: a field of theirs that looks like a reference must
// have a row here, or this test fails before a customer finds out.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXTRA_NAMES } from '../../contract/config.ts';
import {
  fatesOfFields,
  insideFates,
  isDisguised,
  looksLikeReference,
  passingNames,
  policy,
  toolFate,
} from './policy.ts';

const require = createRequire(import.meta.url);

/** The folder of a package's declarations, wherever it is installed. */
const folderOf = (name: string): string => dirname(require.resolve(name));

const declarations: Readonly<Record<string, readonly [string, string]>> = {
  chat: ['openai', 'resources/chat/completions/completions.d.ts'],
  responses: ['openai', 'resources/responses/responses.d.ts'],
  messages: ['@anthropic-ai/sdk', 'resources/beta/messages/messages.d.ts'],
  embeddings: ['openai', 'resources/embeddings.d.ts'],
  images: ['openai', 'resources/images.d.ts'],
  speech: ['openai', 'resources/audio/speech.d.ts'],
  transcription: ['openai', 'resources/audio/transcriptions.d.ts'],
  video: ['openai', 'resources/videos.d.ts'],
};

const MEMBER = /^\s+([a-z_]+)\??:/gm;
const REFERENCE = /_(?:id|ids|reference|references)$/;

function memberNames([name, path]: readonly [string, string]): readonly string[] {
  const text = readFileSync(join(folderOf(name), path), 'utf8');
  return [...new Set([...text.matchAll(MEMBER)].map(([, member]) => member ?? ''))];
}

describe('what clients can send', () => {
  test.each(Object.entries(declarations))('VER-06 every reference in the types of %s has a fate', (format, place) => {
    const fates = fatesOfFields(format as 'chat');
    const references = memberNames(place).filter((name) => REFERENCE.test(name));
    const unknown = references.filter((name) => !fates.has(name) && !insideFates.has(name) && !passingNames.has(name));
    expect(unknown).toEqual([]);
  });

  test('the declarations were found', () => {
    expect(memberNames(declarations.responses as [string, string])).toContain('vector_store_ids');
    expect(memberNames(declarations.messages as [string, string])).toContain('container');
  });

  test('a beta flag of the SDK is known or left out, and those that name stored things are not known', () => {
    const known = Object.keys(policy.headers['anthropic-beta'] ?? {});
    for (const flag of ['files-api-2025-04-14', 'skills-2025-10-02', 'mcp-client-2025-11-20']) {
      expect(known).not.toContain(flag);
    }
    const agent =
      'claude-code-20250219,oauth-2025-04-20,interleaved-thinking-2025-05-14,thinking-token-count-2026-05-13,context-management-2025-06-27,prompt-caching-scope-2026-01-05,mid-conversation-system-2026-04-07,advisor-tool-2026-03-01,effort-2025-11-24,extended-cache-ttl-2025-04-11,fine-grained-tool-streaming-2025-05-14,redact-thinking-2026-02-12,thinking-binding-controls-2026-08-01';
    for (const flag of agent.split(',')) expect(known, flag).toContain(flag);
  });
});

test('every extra that is asked for can be priced in the config document', () => {
  const extras = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'extra') extras.add(String(inner).split('=')[0] ?? '');
      else collect(inner);
    }
  };
  collect(policy);
  expect([...extras, 'thinking', 'size'].filter((name) => !(EXTRA_NAMES as readonly string[]).includes(name))).toEqual(
    [],
  );
});

test('a tool is known by its name without the date of its version', () => {
  expect(toolFate('web_search_20260209')).toBe('search');
  expect(toolFate('web_search_preview_2025_03_11')).toBe('search');
  expect(toolFate('tool_search_tool_regex_20251119')).toBe('pass');
  expect(toolFate('code_execution_20260120')).toBe('hosted');
  // Whoever offers a memory also keeps it: the provider only knows the commands.
  expect(toolFate('memory_20250818')).toBe('pass');
  expect(toolFate('never_heard_of_20990101')).toBeUndefined();
  expect(toolFate(undefined)).toBe('pass');
});

test('what looks like a reference', () => {
  for (const name of [
    'dataset_id',
    'file_ids',
    'image_reference',
    'fileId',
    'fileID',
    'FILE_IDS',
    'image[file_id]',
    'file[id]',
    'a[b_ids][0]',
  ])
    expect(looksLikeReference(name), name).toBe(true);
  for (const name of ['id', 'seed', 'grid', 'voice', 'Id', 'chunking_strategy[type]', 'tool_call_id'])
    expect(looksLikeReference(name), name).toBe(false);
});

test('another spelling of a field is told from a field of its own', () => {
  for (const name of [
    'Model',
    'N',
    'max_TOKENS',
    'n[]',
    'size[0]',
    ' n',
    'tool\u017f',
    'Cache_Control[ttl]',
    'TYPE',
    'Content',
  ])
    expect(isDisguised(name), name).toBe(true);
  for (const name of ['model', 'guidanceScale', 'topK', 'maxTokens', 'chunking_strategy[type]', 'X', '', '[n]', 'MAP'])
    expect(isDisguised(name), name).toBe(false);
});
