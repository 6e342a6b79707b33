// What can be asked of a model. A protocol that lacks an operation's codec does not support it, and routing sees that.

export type Operation =
  /** A conversation, in whichever format. */
  'chat' | 'embeddings' | 'image-generation' | 'image-edit' | 'speech' | 'transcription' | 'video';
