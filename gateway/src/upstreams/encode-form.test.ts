// A form must be as long as it states, and contain only what was put into it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { UploadedFile } from '../canonical/submission.ts';
import { encodeForm } from './encode-form.ts';
import type { StreamedBody } from './protocol.ts';

function fileOf(bytes: Buffer, changes: Partial<UploadedFile> = {}): UploadedFile {
  async function* open(): AsyncGenerator<Buffer> {
    yield bytes.subarray(0, 1);
    yield bytes.subarray(1);
  }
  const facts = { fieldName: 'file', fileName: 'a.wav', contentType: 'audio/wav', head: bytes };
  return { ...facts, byteLength: bytes.length, open, ...changes };
}

async function read(form: ReturnType<typeof encodeForm>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of (form.body as StreamedBody).open()) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('AUD-01 property: any fields and files come out as they went in, of the announced length', async () => {
  const names = fc.stringMatching(/^[a-z_]{1,12}$/);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(names, fc.string())),
      fc.uint8Array({ maxLength: 300 }),
      async (fields, bytes) => {
        const form = encodeForm(fields, [{ name: 'file', file: fileOf(Buffer.from(bytes)) }]);
        const body = await read(form);
        expect(body.length).toBe((form.body as StreamedBody).byteLength);
        const parsed = await new Response(new Uint8Array(body), {
          headers: { 'content-type': form.contentType },
        }).formData();
        const sent = parsed.get('file') as File;
        expect(Buffer.from(await sent.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
        expect([...parsed.entries()].filter(([name]) => name !== 'file').map(([name]) => name)).toEqual(
          fields.map(([name]) => name),
        );
      },
    ),
    { numRuns: 50 },
  );
});

test('FO-1 it can be opened again for the next provider', async () => {
  const form = encodeForm([['model', 'm']], [{ name: 'file', file: fileOf(Buffer.from('sound')) }]);
  expect((await read(form)).equals(await read(form))).toBe(true);
});

test('3.10 names and types of a stranger cannot add headers', async () => {
  const file = fileOf(Buffer.from('x'), { fileName: 'a"\r\nX-Evil: 1', contentType: 'audio/wav\r\nX-Evil: 2' });
  const text = (await read(encodeForm([], [{ name: 'file', file }]))).toString();
  expect(text).not.toMatch(/^X-Evil/m);
  expect(text).toContain('filename="a%22%0D%0AX-Evil: 1"');
  expect(text).toContain('Content-Type: application/octet-stream\r\n');
});
