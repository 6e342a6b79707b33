// A curl line that calls a model by what it makes. It runs as it stands once TOLLGATE_API_KEY is set.

import { type Model, type Purpose, purposeOf } from '../../api/models.ts';

type Example = Readonly<{ path: string; body: Record<string, unknown> }>;

const EXAMPLES: Readonly<Record<Exclude<Purpose, 'transcription'>, Example>> = {
  text: { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Say hello.' }] } },
  image: { path: '/v1/images/generations', body: { prompt: 'A lighthouse at dawn' } },
  video: { path: '/v1/videos', body: { prompt: 'Waves at dawn', duration: 4 } },
  audio: { path: '/v1/audio/speech', body: { input: 'Good morning.', voice: 'alloy' } },
  embeddings: { path: '/v1/embeddings', body: { input: 'A sentence to compare' } },
  rerank: { path: '/v1/rerank', body: { query: 'Which animal barks?', documents: ['A dog.', 'A cat.'] } },
  moderation: { path: '/v1/moderations', body: { input: 'A sentence to judge' } },
};

export function callExample(model: Model, origin: string): string {
  const purpose = purposeOf(model);
  const head = [`-H "Authorization: Bearer $TOLLGATE_API_KEY"`];
  if (purpose === 'transcription') {
    return curl(`${origin}/v1/audio/transcriptions`, [...head, `-F model=${model.id}`, '-F file=@speech.mp3']);
  }
  const { path, body } = EXAMPLES[purpose];
  const json = JSON.stringify({ model: model.id, ...body });
  return curl(origin + path, [...head, `-H "Content-Type: application/json"`, `-d '${json}'`]);
}

const curl = (url: string, parameters: readonly string[]): string => [`curl ${url}`, ...parameters].join(' \\\n  ');
