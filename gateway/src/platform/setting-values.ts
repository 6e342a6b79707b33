// Readers of settings that several variables have. A problem is reported with the variable's name, and reading goes on.

export type Settings = Readonly<{
  /** Null where the variable is unset or empty. */
  text(name: string): string | null;
  problem(name: string, message: string): void;
}>;

export type ListenAddress = Readonly<{ host: string; port: number }>;

const LISTENER = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/;
const MEGABYTE = 1024 * 1024;

export function readMilliseconds(reader: Settings, name: string, otherwise: number): number {
  const text = reader.text(name);
  if (text === null) return otherwise;
  if (/^\d{1,5}$/.test(text)) return Number(text);
  reader.problem(name, `${JSON.stringify(text)} is not a whole number of milliseconds`);
  return otherwise;
}

/** From one to ten thousand. */
export function readCount(reader: Settings, name: string, otherwise: number): number {
  const text = reader.text(name);
  if (text === null) return otherwise;
  if (/^([1-9]\d{0,3}|10000)$/.test(text)) return Number(text);
  reader.problem(name, `${JSON.stringify(text)} is not a whole number from 1 to 10000`);
  return otherwise;
}

export function readMegabytes(reader: Settings, name: string, otherwise: number): number {
  const text = reader.text(name);
  if (text === null) return otherwise * MEGABYTE;
  const isCount = /^[1-9]\d{0,8}$/.test(text);
  if (!isCount) reader.problem(name, `${JSON.stringify(text)} is not a whole number of megabytes`);
  return isCount ? Number(text) * MEGABYTE : otherwise * MEGABYTE;
}

/** An address and a port; null where none is set. */
export function readListener(reader: Settings, name: string): ListenAddress | null {
  const text = reader.text(name);
  if (text === null) return null;
  const [, host, digits] = LISTENER.exec(text) ?? [];
  const port = Number(digits);
  if (host !== undefined && port <= 65_535) return { host: host.replace(/^\[|\]$/g, ''), port };
  reader.problem(name, `${JSON.stringify(text)} is not an address with a port, such as 127.0.0.1:9464`);
  return null;
}
