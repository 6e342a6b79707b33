// The document: OpenAPI 3.1, made from the table of routes and their descriptions.

import { readFileSync } from 'node:fs';
import type { TObject } from '@sinclair/typebox';
import { ErrorEnvelope, MessagesErrorEnvelope } from '../../contract/errors.ts';
import { ScimErrorEnvelope } from '../../contract/scim.ts';
import { catalogue, type ErrorCode, publicCode } from '../../errors/catalogue.ts';
import { OVERLOADED } from '../../errors/messages-envelope.ts';
import type { Access, RouteRow } from '../../http/exchange.ts';
import { assert } from '../../platform/assert.ts';
import { type CurlPlace, curlExample } from './curl-example.ts';
import { type AnswerForms, type Description, TAGS } from './description.ts';
import { descriptions } from './descriptions.ts';
import { errorsOf } from './implied-errors.ts';
import { createSchemaWriter, type JsonSchema, type SchemaWriter } from './json-schema.ts';

export type OpenApiDocument = Readonly<{
  openapi: '3.1.0';
  info: JsonSchema;
  servers: readonly JsonSchema[];
  tags: readonly Readonly<{ name: string; description: string }>[];
  paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  components: Readonly<{ schemas: Readonly<Record<string, JsonSchema>>; securitySchemes: JsonSchema }>;
}>;

export type OperationObject = Readonly<{
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  security: readonly JsonSchema[];
  parameters?: readonly Parameter[];
  requestBody?: Readonly<{ required: true; content: MediaTypes }>;
  responses: Readonly<Record<string, Response>>;
  'x-codeSamples': readonly Readonly<{ lang: string; label: string; source: string }>[];
}>;

export type Parameter = Readonly<{ name: string; in: 'path' | 'query'; required: boolean; schema: JsonSchema }>;
export type MediaTypes = Readonly<Record<string, Readonly<{ schema?: JsonSchema }>>>;
export type Response = Readonly<{
  description: string;
  content?: MediaTypes;
  'x-codes'?: readonly (string | number)[];
}>;

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const ABOUT = [
  'One interface in front of many models. Send your key as `Authorization: Bearer <key>`.',
  'Every answer has `X-Request-Id`; calls with a key also get the rate limit in `X-RateLimit-Limit`,',
  '`X-RateLimit-Remaining` and `X-RateLimit-Reset`. Every path below `/v1` also works below `/api/v1`.',
  'Programs should look at the status and at `error.code`, which is a word where a program can react to the error, and',
  'otherwise the status. Fields and codes may be added without notice: ignore those that you do not know.',
].join(' ');

const bearer = (description: string): JsonSchema => ({ type: 'http', scheme: 'bearer', description });

const securitySchemes: JsonSchema = {
  apiKey: bearer('A standard key. It calls models and reads its own account.'),
  managementKey: bearer('A management key. It manages keys and organizations, and calls no models.'),
  studentSession: bearer("The token of a student's session, from POST /api/edu/verify."),
  messagesKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'A standard key, on Messages.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'tollgate_session',
    description: 'The cookie that POST /api/auth/login sets.',
  },
  provisioningToken: bearer('A provisioning token of an organization, for its directory.'),
  operatorToken: bearer("The operator's token."),
};

const schemesOf: Readonly<Record<Access, readonly string[]>> = {
  public: [],
  model: ['apiKey'],
  account: ['apiKey', 'managementKey'],
  management: ['managementKey'],
  person: ['apiKey', 'managementKey', 'session'],
  manager: ['managementKey', 'session'],
  session: ['session'],
  directory: ['provisioningToken'],
  operator: ['operatorToken'],
};

export function createDocument(rows: readonly RouteRow[], place: CurlPlace): OpenApiDocument {
  const writer = createSchemaWriter();
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const row of rows) {
    const description = descriptions[`${row.method} ${row.path}`];
    assert(description !== undefined, `${row.method} ${row.path} is not described`);
    const path = row.path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}');
    const operations = paths[path] ?? {};
    operations[row.method.toLowerCase()] = operationOf(row, description, { writer, place });
    paths[path] = operations;
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tollgate', version, description: ABOUT },
    servers: [{ url: place.siteUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: writer.components(), securitySchemes },
  };
}

type Tools = Readonly<{ writer: SchemaWriter; place: CurlPlace }>;

function operationOf(row: RouteRow, description: Description, { writer, place }: Tools): OperationObject {
  const { summary, notes, tag, query, body, form } = description;
  const parameters = [...pathParameters(row.path), ...(query === undefined ? [] : queryParameters(query, writer))];
  const content = {
    ...(body === undefined ? {} : { [jsonType(row)]: { schema: writer.write(body) } }),
    ...(form === undefined ? {} : { 'multipart/form-data': { schema: writer.write(form) } }),
  };
  return {
    operationId: operationId(row),
    summary,
    ...(notes === undefined ? {} : { description: notes }),
    tags: [tag],
    security: securityOf(row),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(Object.keys(content).length === 0 ? {} : { requestBody: { required: true, content } }),
    responses: responsesOf(row, description, writer),
    'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: curlExample(row, description, place) }],
  };
}

/** `POST /v1/chat/completions` becomes postV1ChatCompletions, which is as unique as the row. */
function operationId({ method, path }: RouteRow): string {
  const words = path.replace('*', 'any').split(/[^A-Za-z0-9]+/);
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function securityOf({ access, isForStudents, errors }: RouteRow): readonly JsonSchema[] {
  const names = [
    ...schemesOf[access],
    ...(isForStudents === true ? ['studentSession'] : []),
    ...(errors === 'messages' ? ['messagesKey'] : []),
  ];
  return names.map((name) => ({ [name]: [] }));
}

function pathParameters(path: string): readonly Parameter[] {
  const names = [...path.matchAll(/:(\w+)|\*/g)].map(([, name]) => name ?? 'path');
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameters({ properties, required = [] }: TObject, writer: SchemaWriter): readonly Parameter[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: writer.write(schema),
  }));
}

const jsonType = ({ errors }: RouteRow): string => (errors === 'scim' ? 'application/scim+json' : 'application/json');

const envelopes = { tollgate: ErrorEnvelope, messages: MessagesErrorEnvelope, scim: ScimErrorEnvelope };

function responsesOf(row: RouteRow, description: Description, writer: SchemaWriter): OperationObject['responses'] {
  const responses: Record<string, Response> = {};
  for (const [status, forms] of Object.entries(description.answers)) {
    const content = contentOf(forms, writer, jsonType(row));
    responses[status] = { description: 'Success.', ...(Object.keys(content).length === 0 ? {} : { content }) };
  }
  const envelope = envelopes[row.errors ?? 'tollgate'];
  const schema = writer.write(envelope);
  for (const [status, codes] of byStatus(errorsOf(row, description), row.errors)) {
    const own = description.refusals?.[status];
    const either = own === undefined ? schema : { anyOf: [writer.write(own), schema] };
    responses[status] = {
      description: `Refused: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
      content: { [jsonType(row)]: { schema: either } },
      'x-codes': codes,
    };
  }
  return responses;
}

function contentOf({ json, events, bytes = [] }: AnswerForms, writer: SchemaWriter, type: string): MediaTypes {
  return {
    ...(json === undefined ? {} : { [type]: { schema: writer.write(json) } }),
    ...(events === undefined ? {} : { 'text/event-stream': { schema: writer.write(events) } }),
    ...Object.fromEntries(bytes.map((type) => [type, {}])),
  };
}

/** One code has two statuses: a provider failed, or none could be asked. */
export function statusesOf(code: ErrorCode, dialect: RouteRow['errors']): readonly number[] {
  const statuses = code === 'upstream_unavailable' ? [502, 503] : [catalogue[code].status];
  // In that dialect both apply: errors that pass on a retry have a status of their own.
  return dialect === 'messages' && statuses.includes(503) ? [...statuses, OVERLOADED] : statuses;
}

function byStatus(
  codes: readonly ErrorCode[],
  dialect: RouteRow['errors'],
): readonly (readonly [number, readonly (string | number)[]])[] {
  const groups = new Map<number, (string | number)[]>();
  for (const code of codes) {
    for (const status of statusesOf(code, dialect)) {
      const group = groups.get(status) ?? [];
      group.push(publicCode(code));
      groups.set(status, group);
    }
  }
  return [...groups].sort(([one], [other]) => one - other);
}
