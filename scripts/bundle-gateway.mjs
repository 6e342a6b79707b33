// Puts the compiled gateway into one file, `gateway/dist/tollgate.cjs`: loading its thousand modules and those of its
// packages one by one takes longer than the rest of a start. `gateway/dist/tollgate.js` starts it. What is rarely
// needed stays apart and is loaded when it is; what modules read from files beside themselves stays where it is.
// `gateway/dist/main.js` is the same program in its modules.

import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const compiled = fileURLToPath(new URL('../gateway/dist', import.meta.url));
const output = join(compiled, 'tollgate.cjs');
/** Loaded on demand: sign-on, passkeys, payments, the price book, Redis, the demo. */
const LATE = [
  '@pydantic/genai-prices',
  '@simplewebauthn/server',
  '@tollgate/simulator',
  'ioredis',
  'openid-client',
  'stripe',
];
const lateImports = new RegExp(`\\bimport\\((?=['"](?:${LATE.join('|')})['"]\\))`, 'g');
/** The parts of undici that the gateway uses; loading the others took a sixth of a start. */
const undiciParts = fileURLToPath(new URL('undici-parts.mjs', import.meta.url));

/** A module that looks for a file beside itself still looks in its old place. */
const places = {
  name: 'places',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: undiciParts }));
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(compiled + sep)) return undefined;
      const text = await readFile(path, 'utf8');
      const place = JSON.stringify(`./${relative(dirname(output), path)}`);
      const contents = text
        .replaceAll('import.meta.url', `new URL(${place}, programUrl).href`)
        .replaceAll(lateImports, 'importLate(');
      return { contents, loader: 'js' };
    });
  },
};

const { outputFiles } = await build({
  entryPoints: [join(compiled, 'main.js')],
  outfile: output,
  write: false,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  charset: 'ascii',
  external: LATE,
  plugins: [places],
  logLevel: 'warning',
});
const [{ text }] = outputFiles;
// What `tollgate.ts` calls, and the hash by which it tells one build's compiled code from another's.
const program = `(function (require, programUrl, importLate) {\nconst module = { exports: {} };\n${text}\n})`;
const hash = createHash('sha256').update(program).digest('hex').slice(0, 32);
const written = `${output}.${process.pid}`;
await writeFile(written, `// ${hash}\n${program}`);
// A gateway that starts meanwhile gets the previous file, complete.
await rename(written, output);
for (const name of await readdir(compiled)) {
  if (name.endsWith('.code') && !name.startsWith(`tollgate.cjs.${hash}.`)) await rm(join(compiled, name));
}
