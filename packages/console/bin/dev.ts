// npm run console:dev: serves the sources of the console with hot reload, for a server that is running.

import { createServer } from 'vite';
import { viteSettings } from './vite-settings.ts';

const port = 5173;

/** The operator listener. */
const target = process.env['OPENTILL_OPERATOR_URL'] ?? 'http://127.0.0.1:8081';

const server = await createServer({
  ...viteSettings,
  server: {
    port,
    strictPort: true,
    proxy: { '/operator': { target, changeOrigin: true }, '/docs': { target, changeOrigin: true } },
  },
});
await server.listen();
server.printUrls();
