// Builds the console into dist/, which the gateway serves below /console. Nothing may be inlined into the page: the
// content security policy that the gateway sends allows files of its own origin alone.

import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwind()],
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, sourcemap: false, reportCompressedSize: true },
  server: {
    proxy: { '^/(api|v1|admin)/': process.env.TOLLGATE_URL ?? 'http://127.0.0.1:4100' },
  },
});
