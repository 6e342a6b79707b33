// An operation's answer before any fault of the wire is applied. The kind of each stream frame lets faults such as "end
// before usage" work for every protocol without knowing its events.

export type FrameKind = 'structure' | 'content' | 'finish' | 'usage' | 'finish-usage' | 'end';

/** `packed` is the frame as bytes, where a protocol does not write frames as text. */
export type Frame = Readonly<{ kind: FrameKind; event?: string; data: string; packed?: Buffer }>;

export type WholeAnswer = Readonly<{
  kind: 'whole';
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** True when the same request may get another answer next time, so that it must not be served from memory. */
  isStateful?: boolean;
}>;

export type StreamAnswer = Readonly<{
  kind: 'stream';
  headers: Readonly<Record<string, string>>;
  frames: readonly Frame[];
  isStateful?: boolean;
}>;

export type Answer = WholeAnswer | StreamAnswer;

export function jsonAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WholeAnswer {
  return {
    kind: 'whole',
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}
