// `npm run assemble`: writes the code of find-beginnings.wat where the gateway has it, so that neither its build nor its
// start needs an assembler.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import startAssembler from 'wabt';

const folder = new URL('../gateway/src/modules/guardrails/phrases/', import.meta.url);
const LINE_LENGTH = 112;

const assembler = await startAssembler();
const source = readFileSync(new URL('find-beginnings.wat', folder), 'utf8');
const parsed = assembler.parseWat('find-beginnings.wat', source, { simd: true });
parsed.validate();
const code = Buffer.from(parsed.toBinary({}).buffer).toString('base64');
const lines = code.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
writeFileSync(
  fileURLToPath(new URL('find-beginnings-code.ts', folder)),
  `// The code of find-beginnings.wat, as \`npm run assemble\` writes it.

export const BEGINNINGS_CODE = [
${lines.map((line) => `  '${line}',\n`).join('')}].join('');
`,
);
