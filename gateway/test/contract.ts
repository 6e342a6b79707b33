// Compares the gateway's answers with the descriptions of its routes: the status, the fields, the code of a refusal;
// and checks that a request that succeeded was described as acceptable. Published answers may get new fields, but here
// an answer may contain only described ones.

import { readFileSync } from 'node:fs';
import { FormatRegistry, Kind, type TObject, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { ErrorEnvelope, MessagesErrorEnvelope } from '../src/contract/errors.ts';
import { ScimErrorEnvelope } from '../src/contract/scim.ts';
import type { Description } from '../src/endpoints/docs/description.ts';
import { descriptions } from '../src/endpoints/docs/descriptions.ts';
import { errorsOf } from '../src/endpoints/docs/implied-errors.ts';
import { statusesOf } from '../src/endpoints/docs/openapi.ts';
import { type ErrorCode, publicCode } from '../src/errors/catalogue.ts';
import type { RouteRow } from '../src/http/exchange.ts';
import { createRouteTable, type RouteTable } from '../src/http/route-table.ts';
import { normalizePath } from '../src/http/target.ts';

export type Heard = Readonly<{
  method: string;
  /** The path, with or without its query. */
  target: string;
  requestText: string | null;
  status: number;
  contentType: string;
  text: string;
}>;

FormatRegistry.Set('date-time', (value) => new Date(value).toISOString() === value);

let table: RouteTable | undefined;

/** From the published list, which another test compares with the routes and which is cheap to read. */
function routeTable(): RouteTable {
  const lines = readFileSync(new URL('surface/published-surface.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const rows = lines.map((line) => {
    const [access, method, path] = line.split(/\s+/) as [RouteRow['access'], RouteRow['method'], string];
    return { access, method, path, handle: () => {} };
  });
  return createRouteTable(rows);
}

/** Null when there is no problem, or when no route was found. */
export function contractProblem(heard: Heard): string | null {
  const [rawPath = ''] = heard.target.split('?');
  const path = normalizePath(rawPath);
  table ??= routeTable();
  const row = path === null ? undefined : table.find(heard.method, path)?.route;
  if (row === undefined) return null;
  const name = `${row.method} ${row.path}`;
  const description = descriptions[name];
  if (description === undefined) return `${name} is not described`;
  const problem =
    heard.status < 400
      ? (answerProblem(heard, description) ?? requestProblem(heard, description))
      : refusalProblem(heard, row, description);
  return problem === null ? null : `${name} answered ${heard.status}, and ${problem}: ${heard.text.slice(0, 300)}`;
}

function answerProblem({ status, contentType, text }: Heard, { answers }: Description): string | null {
  const forms = answers[status];
  if (forms === undefined) return 'this status is not described';
  if (text === '') return null;
  const type = contentType.split(';')[0]?.trim() ?? '';
  const isJson = type === 'application/json' || type === 'application/scim+json';
  if (isJson && forms.json !== undefined) return mismatch(closed(forms.json), JSON.parse(text));
  if (type === 'text/event-stream' && forms.events !== undefined) return eventProblem(text, forms.events);
  const isDescribed = (forms.bytes ?? []).some((known) => known === type || type.startsWith(known.replace('*', '')));
  return isDescribed ? null : `its type ${type} is not described`;
}

const FRAMES_MAX = 20;

/** A stream reports its failure by a frame with an error. */
function eventProblem(text: string, events: TSchema): string | null {
  const frames = [...text.matchAll(/^data: (\{.*\})$/gm)].slice(0, FRAMES_MAX).map(([, json = '']) => json);
  for (const frame of frames) {
    const value: unknown = JSON.parse(frame);
    if (Value.Check(ErrorEnvelope, value)) continue;
    const problem = mismatch(closed(events), value);
    if (problem !== null) return `in an event ${problem}`;
  }
  return null;
}

function refusalProblem({ status, text }: Heard, row: RouteRow, description: Description): string | null {
  const dialect = row.path.startsWith('/v1/messages') ? 'messages' : undefined;
  const codes = errorsOf(row, description).filter((code) => statusesOf(code, dialect).includes(status));
  const own = description.refusals?.[status];
  // HEAD has no body, and some tests cut answers short.
  if (text === '') return codes.length > 0 || own !== undefined ? null : 'this status is not described';
  const value: unknown = JSON.parse(text);
  if (own !== undefined && Value.Check(own, value)) return null;
  if (row.access === 'directory')
    return codes.length > 0 ? mismatch(closed(ScimErrorEnvelope), value) : 'this status is not described';
  const envelope = dialect === 'messages' ? MessagesErrorEnvelope : ErrorEnvelope;
  return mismatch(closed(envelope), value) ?? codeProblem(value as { error: { code: string | number } }, codes);
}

function codeProblem({ error: { code } }: { error: { code: string | number } }, codes: readonly ErrorCode[]) {
  return codes.some((known) => publicCode(known) === code) ? null : `the code ${code} is not described`;
}

/** Parameters of a query are not looked at: most routes ignore those that they do not know. */
function requestProblem({ requestText }: Heard, description: Description): string | null {
  const body = requestText === null ? undefined : parse(requestText);
  if (body === undefined || description.body === undefined || isResponsesShaped(body, description)) return null;
  // Unknown fields are ignored, so they are not part of the description.
  const problem = mismatch(description.body, body) && mismatch(description.body, Value.Clean(description.body, body));
  return problem === null ? null : `of the request ${problem} (${requestText?.slice(0, 300)})`;
}

/** Chat accepts these bodies too, as its notes say. */
const isResponsesShaped = (body: unknown, { body: schema }: Description): boolean =>
  schema?.title === 'ChatCompletionRequest' && typeof body === 'object' && body !== null && 'input' in body;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function mismatch(schema: TSchema, value: unknown): string | null {
  if (Value.Check(schema, value)) return null;
  const error = Value.Errors(schema, value).First();
  return `${error?.path === '' ? 'the whole' : error?.path} is not as described (${error?.message})`;
}

const closedSchemas = new Map<TSchema, TSchema>();

/** Objects that do not say whether they are open are closed. */
function closed(schema: TSchema): TSchema {
  const known = closedSchemas.get(schema);
  if (known !== undefined) return known;
  const copy: Record<string | symbol, unknown> = { ...schema };
  if (schema[Kind] === 'Object') {
    copy.additionalProperties ??= false;
    copy.properties = Object.fromEntries(
      Object.entries((schema as TObject).properties).map(([name, property]) => [name, closed(property)]),
    );
  }
  if (schema.items !== undefined) copy.items = closed(schema.items);
  if (schema.anyOf !== undefined) copy.anyOf = schema.anyOf.map(closed);
  closedSchemas.set(schema, copy as unknown as TSchema);
  return copy as unknown as TSchema;
}
