// The wire formats. A dialect and a protocol with the same format need no translation between them. Conversations have
// several formats; every other operation has one, named after it, and protocols that differ convert to it themselves.

export type ConversationFormat = 'chat' | 'responses' | 'messages' | 'completions';

/** A conversation's answer in the upstream's format: `native` is a protocol's own format, which no client speaks. */
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
