// What can be asked of a model. A protocol that lacks an operation's codec does not support it, and routing sees that.

export type Operation =
  | 'chat'
  | 'responses'
  | 'messages'
  | 'embeddings'
  | 'image-generation'
  | 'image-edit'
  | 'speech'
  | 'transcription'
  | 'video';
