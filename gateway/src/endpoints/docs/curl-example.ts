// The curl command that calls a route. It is complete: what differs from reader to reader is a shell variable, such as
// $TOLLGATE_API_KEY, and a test runs every command.

import type { Access, RouteRow } from '../../http/exchange.ts';
import type { Description, Example } from './description.ts';

export type CurlPlace = Readonly<{ siteUrl: string; modelOf(example: Example): string }>;

const VARIABLE = /\$[A-Z][A-Z_]*/g;

const credentials: Readonly<Record<Access, readonly string[]>> = {
  public: [],
  model: ['-H "Authorization: Bearer $TOLLGATE_API_KEY"'],
  account: ['-H "Authorization: Bearer $TOLLGATE_API_KEY"'],
  person: ['-H "Authorization: Bearer $TOLLGATE_API_KEY"'],
  management: ['-H "Authorization: Bearer $TOLLGATE_MANAGEMENT_KEY"'],
  manager: ['-H "Authorization: Bearer $TOLLGATE_MANAGEMENT_KEY"'],
  // The file that signing in has written.
  session: ['-b cookies.txt'],
  directory: ['-H "Authorization: Bearer $TOLLGATE_SCIM_TOKEN"'],
  operator: ['-H "Authorization: Bearer $TOLLGATE_ADMIN_TOKEN"'],
};

export function curlExample(row: RouteRow, description: Description, place: CurlPlace): string {
  const { method, access } = row;
  const { example = {} } = description;
  const isChange = method !== 'GET' && method !== 'HEAD';
  const query = example.query === undefined ? '' : `?${example.query}`;
  return [
    `curl ${methodOption(method, example)}"${place.siteUrl}${filledPath(row.path)}${query}"`,
    ...credentials[access],
    // A change made with a cookie must state where it comes from.
    ...(access === 'session' && isChange ? [`-H "Origin: ${place.siteUrl}"`] : []),
    ...content(example, place),
    ...(example.options ?? []),
  ].join(' \\\n  ');
}

function methodOption(method: RouteRow['method'], { body, form }: Example): string {
  if (method === 'HEAD') return '-I ';
  const isImplied = method === 'GET' || (method === 'POST' && (body !== undefined || form !== undefined));
  return isImplied ? '' : `-X ${method} `;
}

function content(example: Example, place: CurlPlace): readonly string[] {
  const { body, form } = example;
  const named = (text: string): string => text.replaceAll('$MODEL', () => place.modelOf(example));
  if (form !== undefined) return Object.entries(form).map(([name, value]) => `-F ${quoted(`${name}=${named(value)}`)}`);
  if (body === undefined) return [];
  return ['-H "Content-Type: application/json"', `-d ${quoted(named(JSON.stringify(body)))}`];
}

/** In single quotes nothing is special to a shell, so variables are outside them. */
function quoted(text: string): string {
  const safe = text.replaceAll("'", "'\\''");
  return `'${safe.replace(VARIABLE, (variable) => `'"${variable}"'`)}'`;
}

/** `/v1/keys/:id` names a key, and `/v1/orgs/:orgId` itself says what it names. */
export function filledPath(path: string): string {
  const parts = path.split('/');
  return parts
    .map((part, index) => {
      if (part === '*') return '';
      return part.startsWith(':') ? `$${variableOf(part.slice(1), parts[index - 1] ?? '')}` : part;
    })
    .join('/');
}

function variableOf(parameter: string, parent: string): string {
  const name = parameter === 'id' ? `${parent.replace(/s$/, '')}Id` : parameter;
  return name
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .replaceAll('-', '_')
    .toUpperCase();
}
