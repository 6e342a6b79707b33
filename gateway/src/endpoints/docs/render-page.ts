// The document as one page that needs only its style and a small script: without the script everything can be read, but
// not searched.

import { anchor, escapeHtml, prose } from './html.ts';
import type { OpenApiDocument } from './openapi.ts';
import { methodMark, operationAnchor, type PlacedOperation, renderOperation } from './render-operation.ts';
import { renderSchema, type Schemas } from './render-schema.ts';

type Area = Readonly<{ name: string; about: string; operations: readonly PlacedOperation[] }>;

export function renderPage(document: OpenApiDocument): string {
  const areas = areasOf(document);
  const { schemas } = document.components;
  const address = String(document.servers[0]?.url ?? '');
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8" />',
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
    '<meta name="color-scheme" content="light dark" /><title>API · Tollgate</title>',
    '<link rel="icon" href="/console/icon.svg" type="image/svg+xml" />',
    '<link rel="stylesheet" href="/docs/docs.css" /><script src="/docs/docs.js"></script><script src="/docs/try.js"></script></head>',
    `<body data-address="${escapeHtml(address)}"><a class="skip" href="#operations">Skip to the endpoints</a>`,
    renderHeader(document),
    `<div class="columns"><nav aria-label="Areas">${renderNavigation(areas)}</nav>`,
    `<main id="operations"><p class="intro">${prose(String(document.info.description))}</p>`,
    `<p class="jump">${areas.map(({ name }) => `<a href="#area-${anchor(name)}">${escapeHtml(name)}</a>`).join(' ')}</p>`,
    '<p id="none" class="quiet" hidden>Nothing fits.</p>',
    areas.map((area) => renderArea(area, schemas)).join(''),
    renderSchemas(schemas),
    '</main></div></body></html>',
  ].join('\n');
}

function areasOf({ tags, paths }: OpenApiDocument): readonly Area[] {
  const placed = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  );
  return tags.map(({ name, description }) => ({
    name,
    about: description,
    operations: placed.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

function renderHeader({ info }: OpenApiDocument): string {
  return [
    '<header><div class="bar">',
    `<h1><a href="/console/">Tollgate</a> <span class="quiet">API ${escapeHtml(String(info.version))}</span></h1>`,
    '<div class="search" role="search" hidden><label for="search">Search endpoints</label>',
    '<input id="search" type="search" placeholder="Search endpoints" autocomplete="off" spellcheck="false" />',
    '<kbd aria-hidden="true">/</kbd></div>',
    '<span id="found" class="quiet" role="status"></span>',
    '<a class="plain" href="/openapi.json">openapi.json</a>',
    '</div></header>',
  ].join('');
}

function renderNavigation(areas: readonly Area[]): string {
  const items = areas.map(({ name, operations }) => {
    const links = operations.map((placed) => {
      const { summary } = placed.operation;
      return `<li><a href="#${operationAnchor(placed)}">${methodMark(placed.method)}<span>${escapeHtml(summary)}</span></a></li>`;
    });
    return `<li><details><summary>${escapeHtml(name)} <span class="quiet">${operations.length}</span></summary><ul>${links.join('')}</ul></details></li>`;
  });
  return `<ul>${items.join('')}<li><a class="whole" href="#schemas">Schemas</a></li></ul>`;
}

function renderArea({ name, about, operations }: Area, schemas: Schemas): string {
  const inside = operations.map((placed) => renderOperation(placed, schemas)).join('\n');
  return `<section class="area" id="area-${anchor(name)}"><h2>${escapeHtml(name)}</h2><p class="quiet">${prose(about)}</p>${inside}</section>`;
}

function renderSchemas(schemas: Schemas): string {
  const entries = Object.entries(schemas).map(([name, schema]) => {
    const body = renderSchema(schema, schemas, /(?:Body|Request|Form)$/.test(name) ? 'request' : 'answer');
    const found = escapeHtml(name.toLowerCase());
    return `<details class="operation" id="schema-${anchor(name)}" data-found="${found}"><summary><code class="path">${escapeHtml(name)}</code></summary><div class="inside">${body}</div></details>`;
  });
  return `<section class="area" id="schemas"><h2>Schemas</h2><p class="quiet">What requests and answers are made of.</p>${entries.join('\n')}</section>`;
}
