// A schema for readers: a list of fields, each with a short type and a description. Named schemas are shown once, at
// the end of the page, and linked.

import { anchor, escapeHtml, prose } from './html.ts';
import { COMPONENTS, type JsonSchema } from './json-schema.ts';

/** Deeper ones are named schemas, which have their own place. */
const DEPTH_MAX = 6;

export type Schemas = Readonly<Record<string, JsonSchema>>;

/** What is marked: in a request the required fields, in an answer the optional ones. */
export type Side = 'request' | 'answer';

/** The fields of an object, or the type of anything else; a named schema is expanded. */
export function renderSchema(schema: JsonSchema, schemas: Schemas, side: Side): string {
  const name = nameOf(schema);
  const opened = name === null ? schema : (schemas[name] ?? schema);
  const title = name === null ? '' : `<p class="schema-name">${schemaLink(name)}</p>`;
  const about = typeof opened.description === 'string' ? `<p>${prose(opened.description)}</p>` : '';
  return title + about + (renderInside(opened, side, 0) || `<p class="type">${typeText(opened)}</p>`);
}

function renderInside(schema: JsonSchema, side: Side, depth: number): string {
  if (depth > DEPTH_MAX) return '';
  const properties = schema.properties as Readonly<Record<string, JsonSchema>> | undefined;
  if (properties !== undefined && Object.keys(properties).length > 0) return renderFields(schema, side, depth);
  const inner = [schema.items, ...((schema.anyOf as readonly JsonSchema[] | undefined) ?? [])].filter(isSchema);
  return inner.map((part) => (nameOf(part) === null ? renderInside(part, side, depth) : '')).join('');
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

function renderFields(schema: JsonSchema, side: Side, depth: number): string {
  const properties = schema.properties as Readonly<Record<string, JsonSchema>>;
  const required = (schema.required as readonly string[] | undefined) ?? [];
  const rows = Object.entries(properties).map(([name, field]) => {
    const mark = markOf(required.includes(name), side);
    const about = typeof field.description === 'string' ? `<p>${prose(field.description)}</p>` : '';
    const head = `<code class="field">${escapeHtml(name)}</code> <span class="type">${typeText(field)}</span>${mark}`;
    return `<li>${head}${about}${renderInside(field, side, depth + 1)}</li>`;
  });
  return `<ul class="fields">${rows.join('')}</ul>`;
}

export function markOf(isRequired: boolean, side: Side): string {
  if (side === 'request') return isRequired ? ' <span class="required">required</span>' : '';
  return isRequired ? '' : ' <span class="required">optional</span>';
}

/** In short: `string, at most 200 characters or null`. */
export function typeText(schema: JsonSchema): string {
  const name = nameOf(schema);
  if (name !== null) return schemaLink(name);
  const words = schema.enum as readonly string[] | undefined;
  if (words !== undefined) return words.map((word) => `<code>${escapeHtml(word)}</code>`).join(' or ');
  if (schema.const !== undefined) return `<code>${escapeHtml(String(schema.const))}</code>`;
  const choices = schema.anyOf as readonly JsonSchema[] | undefined;
  if (choices !== undefined) return [...new Set(choices.map(typeText))].join(' or ');
  if (schema.type === 'array') return `list of ${isSchema(schema.items) ? typeText(schema.items) : 'anything'}`;
  const kind = typeof schema.type === 'string' ? schema.type : 'anything';
  const limits = limitsOf(schema);
  return limits === '' ? kind : `${kind}, ${limits}`;
}

function limitsOf(schema: JsonSchema): string {
  const { minimum, maximum, exclusiveMinimum, maxLength, format } = schema;
  const limits = [
    typeof format === 'string' ? format : '',
    typeof exclusiveMinimum === 'number' ? `above ${exclusiveMinimum}` : '',
    typeof minimum === 'number' && typeof maximum === 'number' ? `${minimum} to ${maximum}` : '',
    typeof minimum === 'number' && minimum > 0 && typeof maximum !== 'number' ? `from ${minimum}` : '',
    typeof maximum === 'number' && typeof minimum !== 'number' ? `at most ${maximum}` : '',
    typeof maxLength === 'number' ? `at most ${maxLength} characters` : '',
  ];
  return limits.filter((limit) => limit !== '').join(', ');
}

function nameOf({ $ref }: JsonSchema): string | null {
  return typeof $ref === 'string' ? $ref.slice(COMPONENTS.length) : null;
}

const schemaLink = (name: string): string => `<a href="#schema-${anchor(name)}">${escapeHtml(name)}</a>`;
