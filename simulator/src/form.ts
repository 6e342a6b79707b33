// Forms with files (multipart/form-data), as correct clients write them. A body that cannot be read is no form, and the
// operation refuses it.

import type { JsonObject } from './json.ts';

export type FormFile = Readonly<{ name: string; fileName: string; contentType: string; bytes: Buffer }>;

export type Form = Readonly<{ fields: JsonObject; files: readonly FormFile[] }>;

const HEAD_END = '\r\n\r\n';

export function parseForm(contentType: string | undefined, body: Buffer): Form | undefined {
  const boundary = /^multipart\/form-data;.*\bboundary="?([^";]+)"?/i.exec(contentType ?? '')?.[1];
  if (boundary === undefined) return undefined;
  const fields: Record<string, string | string[]> = {};
  const files: FormFile[] = [];
  for (const part of partsOf(body, boundary)) {
    const headLength = part.indexOf(HEAD_END);
    if (headLength === -1) return undefined;
    const head = part.toString('utf8', 0, headLength);
    const bytes = part.subarray(headLength + HEAD_END.length);
    const name = /\bname="([^"]*)"/i.exec(head)?.[1];
    if (name === undefined) return undefined;
    const fileName = /\bfilename="([^"]*)"/i.exec(head)?.[1];
    if (fileName === undefined) addField(fields, name, bytes.toString('utf8'));
    else files.push({ name, fileName, contentType: /^content-type:\s*(.+)$/im.exec(head)?.[1]?.trim() ?? '', bytes });
  }
  return { fields, files };
}

function addField(fields: Record<string, string | string[]>, name: string, value: string): void {
  const known = fields[name];
  if (known === undefined) fields[name] = value;
  else fields[name] = Array.isArray(known) ? [...known, value] : [known, value];
}

function partsOf(body: Buffer, boundary: string): readonly Buffer[] {
  const delimiter = Buffer.from(`--${boundary}`);
  const parts: Buffer[] = [];
  let start = body.indexOf(delimiter);
  while (start !== -1) {
    const next = body.indexOf(delimiter, start + delimiter.length);
    if (next === -1) break;
    // Between a delimiter with its line end and the line end before the next one.
    parts.push(body.subarray(start + delimiter.length + 2, next - 2));
    start = next;
  }
  return parts;
}
