// Transcripts that an organization keeps of its calls: prompts and answers.

import { Type } from '@sinclair/typebox';
import { count, flag, listOf, moment, named, nextPage, orNull, type Shape, text } from './shape.ts';

const content = {
  input: Type.Object({
    messages: listOf(
      Type.Object({ role: text('Who wrote it.'), content: text('The text, as filters and guards left it.') }),
      'The texts of the prompt.',
    ),
  }),
  output: Type.Object({
    completion: text('The text of the answer.'),
    reasoning: orNull(text('What the model thought aloud, if it did.')),
    response: text('The answer as the client got it: a JSON object, or the events of a stream.'),
  }),
  truncated: flag('Something was too long to be kept whole.'),
};

export const GenerationContentAnswer = Type.Object({ data: Type.Object(content) }, named('GenerationContent'));
export type GenerationContentAnswer = Shape<typeof GenerationContentAnswer>;

export const TranscriptObject = Type.Object(
  {
    id: text('That of the generation.'),
    createdAt: moment('When the call was made.'),
    userId: text('Whose key it was.'),
    keyId: text('The key.'),
    model: text('Who answered.'),
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

export const ErasedAnswer = Type.Object({ erased: count('How many.') }, named('ErasedTranscripts'));
export type ErasedAnswer = Shape<typeof ErasedAnswer>;
