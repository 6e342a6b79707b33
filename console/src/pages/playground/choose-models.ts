// Which model the playground begins with, and which it compares.

import { isFree, type Model, purposeOf } from '../../api/models.ts';
import { isPlayable, type PlayPurpose } from './call-body.ts';

/** Without money, only a free model answers. */
export function firstOf(models: readonly Model[], asked: string | undefined, hasMoney: boolean): string {
  const texts = models.filter((model) => purposeOf(model) === 'text');
  const affordable = hasMoney ? undefined : texts.find(isFree);
  return (models.find(({ id }) => id === asked) ?? affordable ?? texts[0] ?? models[0])?.id ?? '';
}

/** A model that is not chosen yet, with the same output. */
export function anotherOf(models: readonly Model[], chosen: readonly string[]): string {
  const purpose = playPurposeOf(models, chosen[0] ?? '');
  const others = models.filter((model) => purposeOf(model) === purpose && !chosen.includes(model.id));
  return others[0]?.id ?? chosen[0] ?? '';
}

export function playPurposeOf(models: readonly Model[], id: string): PlayPurpose {
  const model = models.find((candidate) => candidate.id === id);
  const purpose = model === undefined ? 'text' : purposeOf(model);
  return isPlayable(purpose) ? purpose : 'text';
}
