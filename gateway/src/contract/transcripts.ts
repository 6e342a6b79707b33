// Transcripts that an organization keeps of its calls: prompts and answers.

import { Type } from '@sinclair/typebox';
import { count, flag, listOf, moment, named, nextPage, orNull, type Shape, text } from './shape.ts';

const content = {
  input: Type.Object({
    messages: listOf(
      Type.Object({ role: text('Who wrote it.'), content: text('The text after filters and guards.') }),
      'The texts of the prompt.',
    ),
  }),
  output: Type.Object({
    completion: text('The text of the answer.'),
    reasoning: orNull(text('The reasoning that the model showed; null without any.')),
    response: text('The answer as the client got it: a JSON object, or the events of a stream.'),
  }),
  truncated: flag('True: something was too long to be kept whole.'),
};

export const GenerationContentAnswer = Type.Object({ data: Type.Object(content) }, named('GenerationContent'));
export type GenerationContentAnswer = Shape<typeof GenerationContentAnswer>;

export const TranscriptObject = Type.Object(
  {
    id: text('The id of the generation.'),
    createdAt: moment('When the call was made.'),
    userId: text('The user who holds the key.'),
    keyId: text('The key.'),
    model: text('The model that answered.'),
    ...content,
  },
  named('Transcript'),
);
export type TranscriptObject = Shape<typeof TranscriptObject>;

export const TranscriptsAnswer = Type.Object(
  { transcripts: listOf(TranscriptObject), next: nextPage('cursor') },
  named('Transcripts'),
);
export type TranscriptsAnswer = Shape<typeof TranscriptsAnswer>;

export const ErasedAnswer = Type.Object({ erased: count('How many were erased.') }, named('ErasedTranscripts'));
export type ErasedAnswer = Shape<typeof ErasedAnswer>;
