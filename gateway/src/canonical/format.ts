// The wire formats. A dialect and a protocol with the same format need no translation between them. A conversation has
// several; everything else has one, named after its operation, and protocols that differ convert to it themselves.

export type ConversationFormat = 'chat' | 'responses' | 'messages' | 'completions';

/** A conversation as an upstream has it: `native` is a protocol's own format, which no client speaks. */
export type AnswerFormat = ConversationFormat | 'native';

export type Format =
  | AnswerFormat
  | 'embeddings'
  | 'images'
  | 'moderation'
  | 'rerank'
  | 'speech'
  | 'transcription'
  | 'video';
