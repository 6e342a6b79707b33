// How many bytes of a model's own words stand in what a client is sent: text and the arguments of calls, which the
// limit of an answer is for. Thinking, sources, sound, seals and whatever is spelt in an unusual way do not count, and
// neither does anything in Messages, whose limit is no wish of the caller's.

import type { Format } from '../canonical/format.ts';
import type { StreamOutput } from './stream-pipe.ts';

/** Spelt so that a long one needs no memory for each of its characters. */
const STRING = String.raw`:\s*"([^"\\]*(?:\\.[^"\\]*)*)`;
const CHAT = new RegExp(String.raw`"(?:delta":\s*\{(?:"role":\s*"assistant",\s*)?"content|arguments)"${STRING}`, 'g');
const RESPONSES = new RegExp(
  String.raw`^data: \{"type":\s*"response\.(?:output_text|\w+_arguments|custom_tool_call_input)\.delta".*?"delta"${STRING}`,
  'gm',
);
const COMPLETIONS = new RegExp(`"text"${STRING}`, 'g');

const words: Partial<Record<Format, RegExp>> = {
  chat: CHAT,
  responses: RESPONSES,
  completions: COMPLETIONS,
};

/** `output` is what a stream of the format sends: whole frames. */
export function shownWordBytes(format: Format, output: StreamOutput): number {
  const pattern = words[format];
  if (pattern === undefined) return 0;
  let bytes = 0;
  for (const [, text = ''] of output.toString('latin1').matchAll(pattern)) bytes += text.length;
  return bytes;
}
