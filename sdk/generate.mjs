// Writes src/openapi.ts: the types of keys, organizations, usage and statements from the gateway's own OpenAPI
// document, which needs the built gateway and no running one. With `--check` nothing is written, and a stale file
// fails.

import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';
import { createDocument } from '../gateway/dist/endpoints/docs/openapi.js';
import { createRoutes } from '../gateway/dist/endpoints/routes.js';

const FILE = new URL('src/openapi.ts', import.meta.url);

const COVERED = [
  /^\/v1\/(?:key|keys|credits|usage|statement|generation|orgs)(?:\/|$)/,
  /^\/api\/orgs\/\{orgId\}\/(?:keys|invitations|reports|allowed-models|circuit-breaker|audit-log)(?:\/|$)/,
  /^\/admin\/v1\/(?:users|orgs|keys|calls|overview|generations)(?:\/|$)/,
];

const HEADER = `// Made by \`npm run sdk\` from the OpenAPI document of the gateway. Changes here are lost.

`;

/** Handlers are made from this object, which answers every access with itself; no handler is called. */
const standIn = new Proxy(() => standIn, { get: (_target, name) => (typeof name === 'symbol' ? undefined : standIn) });

/** The schemas that a part of the document refers to, and those that they refer to. */
function namedBy(part, schemas, found = new Set()) {
  for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    namedBy(schemas[name], schemas, found);
  }
  return found;
}

/** Every error has the same form, so it is described once; code samples are for readers of the pages. */
function shortened({ 'x-codeSamples': _samples, responses, ...operation }) {
  const [granted, refused] = [[], []];
  for (const [status, response] of Object.entries(responses))
    (Number(status) < 400 ? granted : refused).push([status, response]);
  const content = refused[0]?.[1].content;
  const told = content === undefined ? {} : { default: { description: 'It was refused.', content } };
  return { ...operation, responses: { ...Object.fromEntries(granted), ...told } };
}

function coveredDocument() {
  const whole = createDocument(createRoutes(standIn), {
    siteUrl: 'https://gateway.example',
    modelOf: () => 'vendor/model',
  });
  const document = JSON.parse(JSON.stringify(whole));
  const paths = Object.fromEntries(
    Object.entries(document.paths)
      .filter(([path]) => COVERED.some((pattern) => pattern.test(path)))
      .map(([path, item]) => [
        path,
        Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, shortened(operation)])),
      ]),
  );
  const { schemas } = document.components;
  const named = namedBy(paths, schemas);
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => named.has(name)));
  return { ...document, paths, components: { ...document.components, schemas: kept } };
}

const text = HEADER + astToString(await openapiTS(coveredDocument(), { alphabetize: true }));
const isStale = (await readFile(FILE, 'utf8').catch(() => '')) !== text;
if (!process.argv.includes('--check')) await writeFile(FILE, text);
else if (isStale) {
  process.stderr.write('sdk/src/openapi.ts is not what the gateway says of itself any more: run `npm run sdk`.\n');
  process.exitCode = 1;
}
