// The compiled gateway as one file: its thousand modules, loaded one by one, take longer than the rest of a start, and tests
// start it as a process a hundred times. What it loads only when it needs it stays apart, and so do the files that modules
// find beside themselves.

import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const compiled = fileURLToPath(new URL('../dist', import.meta.url));
/** Imported by whoever needs them and by nobody else. */
const LATE = ['@pydantic/genai-prices', '@simplewebauthn/server', 'ioredis', 'openid-client', 'stripe'];

/** A module that looks for a file beside itself goes on looking from where it was. */
const placesSeenFrom = (outputFile: string): Plugin => ({
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(compiled + sep)) return undefined;
      const text = await readFile(path, 'utf8');
      const place = JSON.stringify(relative(dirname(outputFile), path));
      return { contents: text.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), loader: 'js' };
    });
  },
});

/** The file has to lie where the packages are found from. */
export async function bundleProgram(outputFile: string): Promise<void> {
  await build({
    entryPoints: [join(compiled, 'main.js')],
    outfile: outputFile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Errors are told apart by the names of their classes.
    keepNames: true,
    external: LATE,
    plugins: [placesSeenFrom(outputFile)],
    // Packages of the older kind ask for built-in modules in the older way.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'warning',
  });
}
