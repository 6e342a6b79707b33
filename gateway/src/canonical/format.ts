// The wire formats of a conversation. A dialect and a protocol with the same format need no translation between them.

export type Format = 'chat' | 'responses' | 'messages';
