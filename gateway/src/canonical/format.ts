// The wire formats. A dialect and a protocol with the same format need no translation between them. A conversation has
// several; everything else has one, named after its operation, and protocols that differ convert to it themselves.

export type ConversationFormat = 'chat' | 'responses' | 'messages';

export type Format = ConversationFormat | 'embeddings' | 'images' | 'speech' | 'transcription' | 'video';
