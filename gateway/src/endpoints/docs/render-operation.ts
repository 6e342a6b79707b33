// One route on the page, folded until it is opened: its parameters, bodies and answers, its errors, and a command to
// copy.

import { anchor, escapeHtml, prose } from './html.ts';
import type { JsonSchema } from './json-schema.ts';
import type { MediaTypes, OperationObject, Parameter, Response } from './openapi.ts';
import { markOf, renderSchema, type Schemas, type Side, typeText } from './render-schema.ts';

export type PlacedOperation = Readonly<{ path: string; method: string; operation: OperationObject }>;

const WHO: Readonly<Record<string, string>> = {
  apiKey: 'a key',
  managementKey: 'a management key',
  studentSession: "a student's session",
  messagesKey: '<code>x-api-key</code>',
  session: 'a signed-in person',
  operatorToken: 'the operator token',
};

export const operationAnchor = ({ method, path }: Omit<PlacedOperation, 'operation'>): string =>
  `${method}-${anchor(path)}`;

export const methodMark = (method: string): string =>
  `<span class="method ${method}">${method === 'delete' ? 'DEL' : method.toUpperCase()}</span>`;

export function renderOperation(placed: PlacedOperation, schemas: Schemas): string {
  const { path, method, operation } = placed;
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const found = `${method} ${path} ${summary} ${operation.tags.join(' ')}`.toLowerCase();
  return [
    `<details class="operation" id="${operationAnchor(placed)}" data-found="${escapeHtml(found)}">`,
    `<summary>${methodMark(method)}<code class="path">${breakable(path)}</code>`,
    `<span class="about">${escapeHtml(summary)}</span></summary>`,
    '<div class="inside">',
    description === undefined ? '' : `<p>${prose(description)}</p>`,
    `<p class="quiet">For ${whoOf(operation.security)}.</p>`,
    renderExample(operation),
    parameters.length === 0 ? '' : `<h3>Parameters</h3>${renderParameters(parameters)}`,
    requestBody === undefined ? '' : `<h3>Request</h3>${renderContent(requestBody.content, schemas, 'request')}`,
    renderResponses(responses, schemas),
    '</div></details>',
  ].join('');
}

/** Long paths may break after a slash. */
const breakable = (path: string): string => escapeHtml(path).replaceAll('/', '/<wbr>');

function whoOf(security: readonly JsonSchema[]): string {
  if (security.length === 0) return 'anybody, without a key';
  return security.map((scheme) => WHO[Object.keys(scheme)[0] ?? ''] ?? '').join(' or ');
}

function renderExample(operation: OperationObject): string {
  const [sample] = operation['x-codeSamples'];
  if (sample === undefined) return '';
  const code = `<pre tabindex="0"><code>${escapeHtml(sample.source)}</code></pre>`;
  return `<div class="example"><button type="button" class="copy" hidden>Copy</button>${code}</div>`;
}

function renderParameters(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, in: where, required, schema }) => {
    const about = typeof schema.description === 'string' ? `<p>${prose(schema.description)}</p>` : '';
    const head = `<code class="field">${escapeHtml(name)}</code> <span class="type">${where}, ${typeText(schema)}</span>`;
    return `<li>${head}${markOf(required, 'request')}${about}</li>`;
  });
  return `<ul class="fields">${rows.join('')}</ul>`;
}

function renderContent(content: MediaTypes, schemas: Schemas, side: Side): string {
  return Object.entries(content)
    .map(([type, { schema }]) => {
      const inside = schema === undefined ? '' : renderSchema(schema, schemas, side);
      return `<p class="media">${escapeHtml(type)}</p>${inside}`;
    })
    .join('');
}

function renderResponses(responses: OperationObject['responses'], schemas: Schemas): string {
  const entries = Object.entries(responses);
  const answers = entries.filter(([, { 'x-codes': codes }]) => codes === undefined);
  const refusals = entries.filter(([, { 'x-codes': codes }]) => codes !== undefined);
  return answers.map((entry) => renderAnswer(entry, schemas)).join('') + renderRefusals(refusals);
}

function renderAnswer([status, { content }]: readonly [string, Response], schemas: Schemas): string {
  const inside =
    content === undefined ? '<p class="quiet">Without a body.</p>' : renderContent(content, schemas, 'answer');
  return `<h3>Answer <span class="status good">${status}</span></h3>${inside}`;
}

function renderRefusals(refusals: readonly (readonly [string, Response])[]): string {
  if (refusals.length === 0) return '';
  const rows = refusals.map(([status, { 'x-codes': codes = [] }]) => {
    const list = codes.map((code) => `<code>${escapeHtml(String(code))}</code>`).join(' ');
    return `<tr><th scope="row"><span class="status bad">${status}</span></th><td>${list}</td></tr>`;
  });
  return `<h3>Refusals</h3><table class="refusals"><tbody>${rows.join('')}</tbody></table>`;
}
