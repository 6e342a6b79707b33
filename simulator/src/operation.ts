// The contract between the server and a protocol's operations: one operation is one method and path, and a pure
// function from a call to an answer. Faults are applied outside it.

import type { IncomingHttpHeaders } from 'node:http';
import type { Answer, Frame, WholeAnswer } from './answer.ts';
import type { Commands } from './command-rules.ts';
import type { FormFile } from './form.ts';
import type { JsonObject } from './json.ts';

export type Call = Readonly<{
  /** Twelve characters, unique to the answer, that every identifier in it ends with (see `send-plain.ts`). */
  sequence: string;
  createdAtSeconds: number;
  headers: IncomingHttpHeaders;
  /** The body, or the fields of a form. */
  body: JsonObject;
  files: readonly FormFile[];
  /** The values of the path's parameters. */
  params: Readonly<Record<string, string>>;
  commands: Commands;
}>;

export type Protocol = Readonly<{
  /** The refusal for a call without credentials, or undefined when there are some: any key is accepted. */
  refuseUnauthorized(headers: IncomingHttpHeaders): WholeAnswer | undefined;
  error(status: number, message: string, code?: string): WholeAnswer;
  /** The refusal of a prompt: by content policy, or because it is too long. */
  refusal(kind: 'policy' | 'context-length'): WholeAnswer;
  /** The frame that reports a failure in a stream that had begun. */
  errorFrame(): Frame;
  requestIdHeader: string;
}>;

export type Operation = Readonly<{
  method: 'GET' | 'POST';
  /** Without the optional `/v1` prefix. A part that begins with a colon stands for anything. */
  path: string;
  protocol: Protocol;
  /** The body is a form with files instead of JSON; or either of the two. */
  takesForm?: boolean | 'either';
  /** The model, where the path names it and not the body. */
  modelIn?(params: Readonly<Record<string, string>>): string;
  /** Needs no key. */
  isPublic?: boolean;
  answer(call: Call): Answer;
}>;
