// The logger's shape, so that modules depend on it and not on pino. Fields named here are metadata: never a header, a
// key, a body or a prompt.

export type LogFields = Readonly<Record<string, string | number | boolean | bigint | null | undefined | Error>>;

export type Logger = Readonly<{
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}>;

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** For logs and rethrowing: turns whatever was thrown into an error. */
export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
