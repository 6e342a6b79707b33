// Scripts with which a test commands the next answers: the first script that fits a request is used, and used up.

import type { ServerResponse } from 'node:http';
import { isObject } from './json.ts';
import type { RecordedRequest } from './recorder.ts';

/** Returns commands for the answer, or nothing when it has written the response itself. */
export type Responder = (
  request: RecordedRequest,
  response: ServerResponse,
) => string | undefined | Promise<string | undefined>;

export type ScriptOptions = Readonly<{
  /** For how many requests: 1 by default. `Infinity` means until `clearScripts`. */
  times?: number;
  /** Only for paths that contain this. */
  path?: string;
  /** Only for this model. */
  model?: string;
}>;

export type Scripts = Readonly<{
  add(script: string | Responder, options?: ScriptOptions): void;
  take(request: RecordedRequest): string | Responder | undefined;
  clear(): void;
  isEmpty(): boolean;
}>;

type Entry = { readonly script: string | Responder; readonly options: ScriptOptions; timesLeft: number };

function fits({ options }: Entry, request: RecordedRequest): boolean {
  if (options.path !== undefined && !request.path.includes(options.path)) return false;
  if (options.model === undefined) return true;
  const body = request.json;
  return isObject(body) && body.model === options.model;
}

export function createScripts(): Scripts {
  const entries: Entry[] = [];
  return {
    add(script, options = {}) {
      entries.push({ script, options, timesLeft: options.times ?? 1 });
    },
    take(request) {
      const index = entries.findIndex((entry) => fits(entry, request));
      const entry = entries[index];
      if (entry === undefined) return undefined;
      entry.timesLeft -= 1;
      if (entry.timesLeft <= 0) entries.splice(index, 1);
      return entry.script;
    },
    clear() {
      entries.length = 0;
    },
    isEmpty: () => entries.length === 0,
  };
}
