// An answer in a vendor's own format, whole and in frames, and what a client must make of it.

import type { Json } from '../harness.ts';

export type Expected = Readonly<{
  text: string;
  reasoning: string;
  calls: readonly (readonly [string, unknown])[];
  sources: readonly string[];
  finish: string;
  tokens: readonly [prompt: number, completion: number];
}>;

export type NativeAnswer = Readonly<{
  name: string;
  protocol: 'openai' | 'gemini' | 'bedrock' | 'cohere' | 'azure' | 'vertex';
  whole: Json;
  frames: readonly Json[];
  expected: Expected | 'failure';
}>;

export const said = (text: string, more: Partial<Expected> = {}): Expected => ({
  ...{ text, reasoning: '', calls: [], sources: [], finish: 'stop', tokens: [10, 4] },
  ...more,
});
