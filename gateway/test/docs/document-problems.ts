// What is wrong with an OpenAPI 3.1 document, as far as tools that read one would fail. The rules are the
// specification's: references lead somewhere, ids are unique, path parameters are the path's, schemas are valid.

import type { OpenApiDocument, OperationObject } from '../../src/endpoints/docs/openapi.ts';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** It may begin with a value, in backticks. */
const SENTENCE = /^[A-Z0-9`(].*\.$/s;
const MEDIA_TYPE = /^[a-z]+\/(?:\*|[a-z0-9.+-]+)$/;

export function documentProblems(document: OpenApiDocument): string[] {
  const problems: string[] = [];
  const { info, components, tags, paths } = document;
  if (!/^3\.1\.\d+$/.test(document.openapi)) problems.push('openapi is not 3.1');
  if (typeof info.title !== 'string' || typeof info.version !== 'string') problems.push('info lacks title or version');
  const tagNames = new Set(tags.map(({ name }) => name));
  if (tagNames.size !== tags.length) problems.push('a tag is declared twice');
  const ids = new Set<string>();
  for (const [path, operations] of Object.entries(paths)) {
    if (!path.startsWith('/')) problems.push(`${path} does not begin with a slash`);
    for (const [method, operation] of Object.entries(operations)) {
      const place = `${method} ${path}`;
      if (!METHODS.has(method)) problems.push(`${place}: no such method`);
      if (ids.has(operation.operationId)) problems.push(`${place}: ${operation.operationId} is not unique`);
      ids.add(operation.operationId);
      problems.push(...operationProblems(path, operation, { tagNames, components }).map((it) => `${place}: ${it}`));
    }
  }
  walk(document, '#', (value, place) => {
    const { $ref } = value;
    if (typeof $ref === 'string' && resolve(document, $ref) === undefined)
      problems.push(`${place}: ${$ref} leads nowhere`);
  });
  for (const [name, schema] of Object.entries(components.schemas)) {
    if (!/^[A-Za-z0-9._-]+$/.test(name)) problems.push(`${name} is no name of a component`);
    problems.push(...schemaProblems(schema, name));
  }
  return problems;
}

type Known = Readonly<{ tagNames: ReadonlySet<string>; components: OpenApiDocument['components'] }>;

function operationProblems(path: string, operation: OperationObject, { tagNames, components }: Known): string[] {
  const { parameters = [], responses, security, requestBody } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const declared = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  const names = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
  const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)];
  return [
    ...(JSON.stringify(inPath) === JSON.stringify(declared) ? [] : [`path parameters are ${declared}`]),
    ...(new Set(names).size === names.length ? [] : ['a parameter is there twice']),
    ...parameters.flatMap(({ name, schema }) => schemaProblems(schema, name)),
    ...(parameters.some((parameter) => parameter.in === 'path' && !parameter.required)
      ? ['a path is not optional']
      : []),
    ...operation.tags.filter((tag) => !tagNames.has(tag)).map((tag) => `the tag ${tag} is not declared`),
    ...(Object.keys(responses).length > 0 ? [] : ['no responses']),
    ...Object.entries(responses).flatMap(([status, { description }]) => [
      ...(/^[1-5]\d\d$/.test(status) ? [] : [`${status} is no status`]),
      ...(description === '' ? [`${status} has no description`] : []),
    ]),
    ...security.flatMap(Object.keys).filter((name) => !(name in components.securitySchemes)),
    ...contents.flatMap((content) =>
      Object.entries(content ?? {}).flatMap(([type, { schema }]) => [
        ...(MEDIA_TYPE.test(type) ? [] : [`${type} is no media type`]),
        ...(schema === undefined ? [] : schemaProblems(schema, type)),
      ]),
    ),
  ];
}

type Node = Readonly<Record<string, unknown>>;

function schemaProblems(schema: Node, place: string): string[] {
  const { type, properties, required, items, anyOf, pattern, additionalProperties, description, enum: words } = schema;
  const fields = Object.entries((properties ?? {}) as Record<string, Node>);
  const missing = ((required ?? []) as string[]).filter((name) => !fields.some(([known]) => known === name));
  return [
    ...(type === undefined || TYPES.has(String(type)) ? [] : [`${place}: ${String(type)} is no type`]),
    ...(type === 'array' && items === undefined ? [`${place}: a list of what?`] : []),
    ...(words === undefined || (Array.isArray(words) && words.length > 0) ? [] : [`${place}: an empty enum`]),
    ...missing.map((name) => `${place}: ${name} is required and not there`),
    ...(description === undefined || SENTENCE.test(String(description))
      ? []
      : [`${place}: ${description} is no sentence`]),
    ...(typeof pattern === 'string' && !isPattern(pattern) ? [`${place}: ${pattern} is no pattern`] : []),
    ...fields.flatMap(([name, field]) => schemaProblems(field, `${place}.${name}`)),
    ...(items === undefined ? [] : schemaProblems(items as Node, `${place}[]`)),
    ...((anyOf ?? []) as Node[]).flatMap((choice) => schemaProblems(choice, place)),
    ...(typeof additionalProperties === 'object' && additionalProperties !== null
      ? schemaProblems(additionalProperties as Node, `${place}.*`)
      : []),
  ];
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function walk(value: unknown, place: string, visit: (node: Node, place: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value as Node, place);
  for (const [name, inner] of Object.entries(value)) walk(inner, `${place}/${name}`, visit);
}

function resolve(document: unknown, reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>((node, step) => (node as Node | undefined)?.[step], document);
}
