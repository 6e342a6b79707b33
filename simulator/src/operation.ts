// The contract between the server and a protocol's operations: one operation is one method and path, and a pure function
// from a call to an answer. Everything that goes wrong on purpose happens outside of it.

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
  /** What stands in the places of the path that begin with a colon. */
  params: Readonly<Record<string, string>>;
  commands: Commands;
}>;

export type Protocol = Readonly<{
  /** The refusal for a call without credentials, or undefined when there are some: any key will do. */
  refuseUnauthorized(headers: IncomingHttpHeaders): WholeAnswer | undefined;
  error(status: number, message: string, code?: string): WholeAnswer;
  /** The refusal of a prompt: by content policy, or because it is too long. */
  refusal(kind: 'policy' | 'context-length'): WholeAnswer;
  /** The frame that reports a failure inside a stream that had begun. */
  errorFrame(): Frame;
  requestIdHeader: string;
}>;

export type Operation = Readonly<{
  method: 'GET' | 'POST';
  /** Without the `/v1` prefix, which is optional. A part that begins with a colon stands for anything. */
  path: string;
  protocol: Protocol;
  /** The body is a form with files, and not JSON; or whichever of the two the client sends. */
  takesForm?: boolean | 'either';
  /** Names the model, where the path does and not the body. */
  modelIn?(params: Readonly<Record<string, string>>): string;
  /** Asked without a key. */
  isPublic?: boolean;
  answer(call: Call): Answer;
}>;
