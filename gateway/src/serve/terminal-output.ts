// What the program prints on a terminal: one readable line for each event, and during the start a line at the bottom
// that shows the progress. Otherwise, and with --json, the log is JSON lines for programs.

import type { Logger } from '../platform/logger.ts';
import { createPinoLogger } from '../platform/pino-logger.ts';
import { printableLine } from '../platform/printable.ts';

export type Output = Readonly<{
  logger: Logger;
  /** Text for the person who started the program. */
  print(text: string): void;
  /** What is being done at the moment; an empty text removes the line. */
  draw(text: string): void;
}>;

type Write = (text: string) => void;

/** For programs: JSON lines only. */
export const plainOutput = (level: string, write: Write): Output => ({
  logger: createPinoLogger(level),
  print: (text) => write(`${text}\n`),
  draw() {},
});

type Settings = Readonly<{
  level: string;
  hasColors: boolean;
  /** False where several processes share the terminal, because one would erase what another has drawn. */
  draws: boolean;
}>;

export function terminalOutput(settings: Settings, write: Write): Output {
  const screen = new Screen(settings, write);
  return {
    logger: createPinoLogger(settings.level, { write: (line) => screen.event(JSON.parse(line) as Event) }),
    print: (text) => screen.print(text),
    draw: (text) => screen.draw(text),
  };
}

type Event = Readonly<{ level: number; time: number; msg: string; error?: unknown; migration?: string }> &
  Readonly<Record<string, unknown>>;

/** Back to the beginning of the line, which is emptied. */
const CLEAR = '\r\u001b[K';
const WARN = 40;
const ERROR = 50;
const COLORS = { grey: 90, yellow: 33, red: 31 } as const;
/** Fields that are at the beginning of a line, or are shown separately. */
const OWN_FIELDS = new Set(['level', 'time', 'msg', 'error']);

class Screen {
  readonly #settings: Settings;
  readonly #write: Write;
  #isDrawn = false;
  #migrations = 0;

  constructor(settings: Settings, write: Write) {
    this.#settings = settings;
    this.#write = write;
  }

  draw(text: string): void {
    if (!this.#settings.draws || (text === '' && !this.#isDrawn)) return;
    this.#isDrawn = text !== '';
    this.#write(CLEAR + text);
  }

  print(text: string): void {
    this.#tellMigrations(Date.now());
    this.draw('');
    this.#write(`${text}\n`);
  }

  event(event: Event): void {
    // A first start applies all migrations, which is shown as one event.
    if (event.migration !== undefined && event.level < WARN) {
      this.#migrations += 1;
      this.draw(`Preparing the database: ${printableLine(event.migration)}`);
      return;
    }
    this.#tellMigrations(event.time);
    this.#line(event);
  }

  #tellMigrations(time: number): void {
    if (this.#migrations === 0) return;
    const msg = this.#migrations === 1 ? 'one migration applied' : `${this.#migrations} migrations applied`;
    this.#migrations = 0;
    this.#line({ level: 30, time, msg });
  }

  #line(event: Event): void {
    this.draw('');
    this.#write(`${this.#lineOf(event)}\n`);
  }

  #lineOf(event: Event): string {
    const fields = Object.entries(event).filter(([name]) => !OWN_FIELDS.has(name));
    return [
      this.#paint('grey', timeOfDay(event.time)),
      this.#levelWord(event.level),
      printableLine(event.msg),
      ...(event.error === undefined ? [] : [`(${printableLine(errorWords(event.error))})`]),
      ...fields.map(([name, value]) => this.#paint('grey', `${name}=${valueText(value)}`)),
    ].join(' ');
  }

  #levelWord(level: number): string {
    if (level >= ERROR) return this.#paint('red', 'error');
    return level >= WARN ? this.#paint('yellow', 'warn ') : this.#paint('grey', 'info ');
  }

  #paint(color: keyof typeof COLORS, text: string): string {
    return this.#settings.hasColors ? `\u001b[${COLORS[color]}m${text}\u001b[0m` : text;
  }
}

function timeOfDay(timeMs: number): string {
  const time = new Date(timeMs);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printableLine(/\s|^$/.test(text) ? JSON.stringify(text) : text);
}

/** An error in one line, with its causes; the JSON log has the stack. */
function errorWords(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { type, message, code, cause } = error as { type?: string; message?: string; code?: string; cause?: unknown };
  const words = [type, message].filter((word) => word !== undefined && word !== '').join(': ');
  const known = code === undefined ? words : `${words} [${code}]`;
  return cause === undefined ? known : `${known}, because of ${errorWords(cause)}`;
}
