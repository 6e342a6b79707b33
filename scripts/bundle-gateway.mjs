// Puts the compiled gateway into one file, `gateway/dist/tollgate.js`: loading its thousand modules and those of its packages
// one by one takes longer than the rest of a start. What is rarely needed stays apart and is loaded when it is; what modules
// read from files beside themselves stays where it is. `gateway/dist/main.js` is the same program in its modules.

import { readFile, rename } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const compiled = fileURLToPath(new URL('../gateway/dist', import.meta.url));
const output = join(compiled, 'tollgate.js');
/** Loaded by those who need them: sign-on, passkeys, payments, a price book, Redis, the demo. */
const LATE = [
  '@pydantic/genai-prices',
  '@simplewebauthn/server',
  '@tollgate/simulator',
  'ioredis',
  'openid-client',
  'stripe',
];

/** A module that looks for a file beside itself goes on looking from where it was. */
const places = {
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(compiled + sep)) return undefined;
      const text = await readFile(path, 'utf8');
      const place = JSON.stringify(`./${relative(dirname(output), path)}`);
      return { contents: text.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), loader: 'js' };
    });
  },
};

const written = `${output}.${process.pid}`;
await build({
  entryPoints: [join(compiled, 'main.js')],
  outfile: written,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: LATE,
  plugins: [places],
  // Packages of the older kind ask for built-in modules in the older way.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  logLevel: 'warning',
});
// Whoever starts meanwhile gets the one before, whole.
await rename(written, output);
