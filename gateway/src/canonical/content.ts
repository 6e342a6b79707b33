// A whole answer, ready to be sent: its media type and its bytes.

export type Content = Readonly<{ type: string; body: string | Uint8Array }>;
