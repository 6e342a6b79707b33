// What the playground sends, by the model's output. An empty setting is left out, so that the model's own default
// applies.

import type { Purpose } from '../../api/models.ts';
import { messagesOf, type Question, type SaidTurn, type Settings } from './conversation.ts';

export const NO_SETTINGS: Settings = {
  system: '',
  temperature: '',
  maxTokens: '',
  size: '',
  voice: 'alloy',
  functions: [],
  answerSchema: '',
};

/** The outputs that the playground can show. */
export type PlayPurpose = Extract<Purpose, 'text' | 'image' | 'audio'>;

export const isPlayable = (purpose: Purpose): purpose is PlayPurpose =>
  purpose === 'text' || purpose === 'image' || purpose === 'audio';

export const PATHS: Readonly<Record<PlayPurpose, string>> = {
  text: '/v1/chat/completions',
  image: '/v1/images/generations',
  audio: '/v1/audio/speech',
};

export type Call = Readonly<{
  purpose: PlayPurpose;
  model: string;
  settings: Settings;
  question: Question;
  /** The conversation with this model so far; only texts are continued. */
  before: readonly SaidTurn[];
}>;

export function bodyOf({ purpose, model, settings, question, before }: Call): Record<string, unknown> {
  const { size, voice } = settings;
  switch (purpose) {
    case 'text':
      return { model, messages: messagesOf(settings.system, before, question), ...textOptions(settings) };
    case 'image':
      return { model, prompt: question.text, ...(size === '' ? {} : { size }) };
    case 'audio':
      return { model, input: question.text, voice };
  }
}

function textOptions({ temperature, maxTokens, functions, answerSchema }: Settings): Record<string, unknown> {
  const tools = functions
    .filter(({ name }) => name !== '')
    .map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, ...(description === '' ? {} : { description }), parameters: schemaOf(parameters) ?? {} },
    }));
  const schema = schemaOf(answerSchema);
  return {
    ...(temperature === '' ? {} : { temperature: Number(temperature) }),
    ...(maxTokens === '' ? {} : { max_tokens: Number(maxTokens) }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(schema === null ? {} : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }),
  };
}

/** What is wrong with the settings, as a sentence; null when they can be sent. */
export function problemOf({ functions, answerSchema }: Settings): string | null {
  if (!functions.every(({ name }) => /^[\w-]{0,64}$/.test(name))) {
    return 'A function’s name has letters, digits, hyphens and underscores.';
  }
  const schemas = [answerSchema, ...functions.map(({ parameters }) => parameters)];
  return schemas.every(isSchemaText) ? null : 'A schema is a JSON object, for example {"type": "object"}.';
}

export const isSchemaText = (text: string): boolean => text.trim() === '' || schemaOf(text) !== null;

function schemaOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
