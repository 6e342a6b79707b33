// What the playground sends, by what the model makes. An empty setting is left out, so that the model's own counts.

import type { Purpose } from '../../api/models.ts';

export type Settings = Readonly<{
  prompt: string;
  system: string;
  temperature: string;
  maxTokens: string;
  size: string;
  voice: string;
}>;

export const NO_SETTINGS: Settings = {
  prompt: '',
  system: '',
  temperature: '',
  maxTokens: '',
  size: '',
  voice: 'alloy',
};

/** What the playground can show. */
export type PlayPurpose = Extract<Purpose, 'text' | 'image' | 'audio'>;

export const isPlayable = (purpose: Purpose): purpose is PlayPurpose =>
  purpose === 'text' || purpose === 'image' || purpose === 'audio';

export const PATHS: Readonly<Record<PlayPurpose, string>> = {
  text: '/v1/chat/completions',
  image: '/v1/images/generations',
  audio: '/v1/audio/speech',
};

export function bodyOf(purpose: PlayPurpose, model: string, settings: Settings): Record<string, unknown> {
  const { prompt, system, temperature, maxTokens, size, voice } = settings;
  switch (purpose) {
    case 'text':
      return {
        model,
        messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), { role: 'user', content: prompt }],
        ...(temperature === '' ? {} : { temperature: Number(temperature) }),
        ...(maxTokens === '' ? {} : { max_tokens: Number(maxTokens) }),
      };
    case 'image':
      return { model, prompt, ...(size === '' ? {} : { size }) };
    case 'audio':
      return { model, input: prompt, voice };
  }
}
