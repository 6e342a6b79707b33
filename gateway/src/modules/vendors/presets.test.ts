// The data about vendors: every preset can be connected as it is, its prices exist, and its facts name their source.

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { idOf } from './offers.ts';
import { addressSettings, presetOf, vendorPresets } from './presets.ts';
import { openPriceBook } from './price-book.ts';

const presets = [...vendorPresets()];

test('there are those that people ask for', () => {
  expect(presets.length).toBeGreaterThanOrEqual(35);
  const names = presets.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
});

test.each(presets)('%s has an address, settings that its address or protocol uses, and a dated source', (_, preset) => {
  expect(URL.canParse(preset.source)).toBe(true);
  expect(Date.parse(preset.written)).toBeLessThanOrEqual(Date.now() + 86_400_000);
  for (const setting of addressSettings(preset)) expect(preset.settings).toHaveProperty(setting);
  if (preset.base_url !== undefined) {
    expect(preset.base_url).not.toMatch(/\/$/);
    expect(URL.canParse(preset.base_url.replace(/\{\w+\}/g, 'x'))).toBe(true);
    // A server of the operator's own is on this machine; all others are reached over https.
    if (!preset.base_url.includes('127.0.0.1')) expect(preset.base_url).toMatch(/^https:/);
  }
  if (preset.models.list === 'book') expect(preset.prices).not.toEqual([]);
});

test('every name in the price book is known there', async () => {
  const book = await openPriceBook();
  const unknown = presets.flatMap(([name, { prices }]) =>
    prices.filter((id) => book.modelsOf([id]).length === 0).map((id) => `${name}: ${id}`),
  );
  expect(unknown).toEqual([]);
});

test('a provider is known by its preset or by its address, and by nothing else', () => {
  expect(presetOf({ baseUrl: 'https://api.groq.com/openai/v1' })).toBe('groq');
  expect(presetOf({ preset: 'groq', baseUrl: 'http://127.0.0.1:1' })).toBe('groq');
  expect(presetOf({ preset: 'nobody', baseUrl: 'https://api.groq.com/openai/v1' })).toBeNull();
  expect(presetOf({ baseUrl: 'https://api.groq.com.evil.test/openai/v1' })).toBeNull();
});

test.each([
  ['openai', 'gpt-4o', 'openai/gpt-4o'],
  ['together', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', 'meta-llama/llama-3.3-70b-instruct-turbo'],
  ['fireworks', 'accounts/fireworks/models/deepseek-v3', 'fireworks/deepseek-v3'],
  ['cloudflare', '@cf/meta/llama-3.1-8b-instruct', 'cloudflare/llama-3.1-8b-instruct'],
  ['ollama', 'llama3.2:3b', 'ollama/llama3.2-3b'],
  ['bedrock', 'anthropic.claude-3-haiku-20240307-v1:0', 'bedrock/anthropic.claude-3-haiku-20240307-v1-0'],
  ['vllm', 'one/two/three', 'vllm/three'],
  ['openai', '..', null],
])('the id of a model of %s', (name, upstream, id) => {
  const preset = vendorPresets().get(name);
  expect(preset === undefined ? undefined : idOf(name, preset, upstream)).toBe(id);
});

test('docs/providers.md has a line for each vendor, made from its preset', () => {
  const file = new URL('../../../../docs/providers.md', import.meta.url);
  const lines = presets.map(([name, preset]) => {
    const set = Object.keys(preset.settings ?? {}).map((setting) => `${setting}=…`);
    const command = [`npx tollgate provider add ${name}`, ...(set.length === 0 ? [] : [`--set ${set.join(',')}`])];
    const key =
      preset.key === undefined ? '' : `\`${preset.key.variable}\`${preset.key.optional === true ? ', or none' : ''}`;
    return `| [${preset.title}](${preset.documentation}) | \`${command.join(' ')}\` | ${key} | ${(preset.quirks ?? []).join(' ')} |`;
  });
  const table = ['| vendor | command | key | to know |', '| --- | --- | --- | --- |', ...lines].join('\n');
  const page = readFileSync(file, 'utf8');
  const made = page.replace(
    /<!-- vendors -->[\s\S]*<!-- \/vendors -->/,
    () => `<!-- vendors -->\n\n${table}\n\n<!-- /vendors -->`,
  );
  // TOLLGATE_UPDATE_DOCS=yes writes the table instead of comparing it.
  if (process.env.TOLLGATE_UPDATE_DOCS === 'yes') writeFileSync(file, made);
  // Columns are as wide as the formatter makes them.
  const narrow = (text: string): string => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---');
  expect(narrow(readFileSync(file, 'utf8'))).toBe(narrow(made));
});
