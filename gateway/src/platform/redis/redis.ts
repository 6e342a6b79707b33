// Redis as the rest of the gateway sees it: a place where several processes count and exchange messages, and never the
// only copy of a fact. It may be away or slow at any moment, so every question has a deadline and another answer.

/** `name` is unique in the program. Keys come first among the arguments and are counted in `keyCount`. */
export type RedisScript = Readonly<{ name: string; keyCount: number; lua: string }>;

export type ScriptCall = Readonly<{
  script: RedisScript;
  keys: readonly string[];
  parameters: readonly (string | number)[];
  /** Called with an answer that came after the deadline: Redis may have counted what was decided without it. */
  onLate?: (reply: unknown) => void;
  /** Called when no answer can come any more after the deadline: nobody knows whether Redis has counted it. */
  onLost?: () => void;
}>;

/** The deadline has passed. The answer may still come, and goes to `onLate`. */
export class LateAnswerError extends Error {
  constructor() {
    super('Redis did not answer in time');
    this.name = 'LateAnswerError';
  }
}

export type RedisState = 'ready' | 'away';

export type RedisListener = Readonly<{
  onMessage(message: string): void;
  /** True when the subscription is active, false when it was lost. */
  onListening(isListening: boolean): void;
}>;

export type RedisSubscription = Readonly<{
  /** Nothing was received for too long: the connection is made anew. */
  restart(): void;
  close(): Promise<void>;
}>;

export type Redis = Readonly<{
  state(): RedisState;
  /** How long it has been away, 0 while it is ready. */
  awayMs(): number;
  /** Rejects at once while Redis is away, and when it does not answer in time. */
  run(call: ScriptCall): Promise<unknown>;
  publish(channel: string, message: string): Promise<void>;
  /** On its own connection, which is restored automatically. */
  listen(channel: string, listener: RedisListener): RedisSubscription;
  close(): Promise<void>;
}>;
