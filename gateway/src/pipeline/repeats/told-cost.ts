// What an answer tells its client that it has cost, found in the answer's own bytes. Providers have members called cost
// in many places; the gateway's own is a member of the usage itself, and of the last one that has it.

const USAGE = '"usage":{';
/** The members and borders of an object in our own compact form: the cost, any other text, the braces. */
const PARTS = /"((?:tollgate_)?cost)":([0-9.eE+-]+)|"[^"\\]*(?:\\.[^"\\]*)*"|[{}]/g;

/** Behind the gateway's own there are few; a stranger could nest very many. */
const TRIES_MAX = 20;

type Told = Readonly<{ figure: string; start: number }>;

/** In USD; zero where none is told. */
export const costIn = (text: string): number => Number(findCost(text)?.figure ?? 0);

/** The same answer for nothing. */
export function withoutCost(text: string): string {
  const told = findCost(text);
  return told === null ? text : `${text.slice(0, told.start)}0${text.slice(told.start + told.figure.length)}`;
}

function findCost(text: string): Told | null {
  let start = text.length;
  for (let tries = 0; tries < TRIES_MAX && start > 0; tries += 1) {
    start = text.lastIndexOf(USAGE, start - 1);
    if (start === -1) return null;
    const told = text[start - 1] === '\\' ? null : costOfObject(text, start + USAGE.length - 1);
    if (told !== null) return told;
  }
  return null;
}

function costOfObject(text: string, start: number): Told | null {
  PARTS.lastIndex = start;
  let depth = 0;
  for (let part = PARTS.exec(text); part !== null; part = PARTS.exec(text)) {
    const [whole, name, figure] = part;
    if (whole === '{') depth += 1;
    else if (whole === '}') depth -= 1;
    else if (name !== undefined && figure !== undefined && depth === 1) {
      return { figure, start: part.index + whole.length - figure.length };
    }
    if (depth === 0) return null;
  }
  return null;
}
