// How Vite builds and serves the console. There is no configuration file, because one needs a default export.

import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';
import { plainClientCalls } from '../../../packaging/client-calls.ts';

export const packageFolder = fileURLToPath(new URL('../', import.meta.url));

/** Without `cssTarget`, Vite rewrites light-dark(), and dark pictures turn black. */
const browsers = ['chrome123', 'firefox120', 'safari17.5'];

export const viteSettings = {
  configFile: false,
  envDir: false,
  root: packageFolder,
  base: '/console/',
  plugins: [react(), plainClientCalls],
  clearScreen: false,
  build: {
    target: browsers,
    cssTarget: browsers,
    // The Content-Security-Policy allows no other source of scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Every copy must include the licenses of what it bundles.
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The modules of every page, in one file.
            { name: 'first', tags: ['$initial'], priority: 2 },
            // The small modules that most pages have some of.
            {
              name: 'shared',
              test: /src\/(?:parts|values)\/(?!action-button|change|dialog)/,
              minShareCount: 2,
              priority: 1,
            },
          ],
        },
      },
    },
    // A test limits the size of what the first page loads.
    chunkSizeWarningLimit: 1_000,
  },
} satisfies InlineConfig;
