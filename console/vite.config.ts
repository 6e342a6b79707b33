// Builds the console into dist/, which the gateway serves below /console. Nothing may be inlined into the page: the
// content security policy that the gateway sends allows files of its own origin alone.

import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { contractCheck } from './contract-check.ts';

/**
 * Files of the first load: what others have written, which stays in the browser's cache when the console changes, and
 * what every page needs together with the start page. Few files compress better than thirty small ones.
 */
const FIRST_FILES = [
  { name: 'base', test: /node_modules[\\/](?:react|react-dom|scheduler|@tanstack|use-sync-external-store)[\\/]/ },
  { name: 'start', test: /src[\\/](?:main|router|pages[\\/]home[\\/]home)\.tsx$/ },
];

export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwind(), contractCheck(process.env.TOLLGATE_URL ?? 'http://127.0.0.1:4100')],
  build: {
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: true,
    rolldownOptions: { output: { codeSplitting: { groups: FIRST_FILES } } },
  },
});
