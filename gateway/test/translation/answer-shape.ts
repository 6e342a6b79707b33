// An answer in a vendor's own format, whole and in frames, and what a client must get from it.

import type { Json } from '../harness.ts';

export type Expected = Readonly<{
  text: string;
  reasoning: string;
  calls: readonly (readonly [string, unknown])[];
  sources: readonly string[];
  /** What the sources stand behind, where a dialect has a way to say it. */
  spans?: readonly string[];
  finish: string;
  tokens: readonly [prompt: number, completion: number];
}>;

export type NativeAnswer = Readonly<{
  name: string;
  protocol: 'openai' | 'gemini' | 'bedrock' | 'cohere' | 'azure' | 'vertex' | 'responses';
  whole: Json;
  frames: readonly Json[];
  /** How the frames are written, where it is not as everybody does. */
  wire?: (events: string) => string;
  expected: Expected | 'failure';
  /** Cases in which the client's own package cannot read the vendor's fields, which are passed on unchanged. */
  unreadBy?: 'chat' | 'messages' | 'responses';
}>;

export const said = (text: string, more: Partial<Expected> = {}): Expected => ({
  ...{ text, reasoning: '', calls: [], sources: [], finish: 'stop', tokens: [10, 4] },
  ...more,
});
