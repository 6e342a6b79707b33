// A model in a few words beside its name: its outputs and abilities, whether it is free, whether long prompts cost
// more, and when it ends.

import { type Model, type Purpose, purposeOf } from '../../api/models.ts';
import { Badge } from '../../ui/badge.tsx';
import { formatDate } from '../../ui/format.ts';
import { type Ability, abilitiesOf } from './abilities.ts';

export const PURPOSE_WORDS: Readonly<Record<Purpose, string>> = {
  text: 'text',
  image: 'images',
  video: 'video',
  audio: 'speech',
  transcription: 'transcription',
  embeddings: 'embeddings',
  rerank: 'rerank',
  moderation: 'moderation',
};

export const ABILITY_WORDS: Readonly<Record<Ability, string>> = {
  tools: 'tools',
  vision: 'vision',
  reasoning: 'reasoning',
  structured: 'structured output',
};

export function ModelBadges({ model }: Readonly<{ model: Model }>) {
  return (
    <span className="flex flex-wrap gap-1.5">
      <Badge>{PURPOSE_WORDS[purposeOf(model)]}</Badge>
      {abilitiesOf(model).map((ability) => (
        <Badge key={ability} tone="accent">
          {ABILITY_WORDS[ability]}
        </Badge>
      ))}
      {model.id.endsWith(':free') && <Badge tone="good">free</Badge>}
      {model.pricing_tiers !== undefined && <Badge>tiers</Badge>}
      {model.end_of_life && model.expiration_date !== undefined && (
        <Badge tone="warn">ends {formatDate(model.expiration_date)}</Badge>
      )}
    </span>
  );
}
