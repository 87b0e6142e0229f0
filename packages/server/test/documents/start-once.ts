// Starts a server with the settings of a page, which has to print where it listens and to stop cleanly.

import { checkoutProgram } from '../built-programs.ts';
import { startOpentill } from '../start/opentill-process.ts';

const own = Object.entries(process.env).filter(([name]) => /^(?:OPENTILL_|DATABASE_URL$)/.test(name));
const settings = Object.fromEntries(own) as Record<string, string>;

/** Free ports, because the server of the pages is running. */
const ports = { OPENTILL_PORT: '0', OPENTILL_OPERATOR_PORT: '0' };

await using server = startOpentill({
  env: { ...settings, ...ports },
  args: ['--demo'],
  program: checkoutProgram('server'),
});
await server.ready();
server.signal('SIGTERM');
const code = (await server.ended()) ?? 1;
if (code !== 0)
  console.error(`the server ended with ${code}: ${server.output.stdout}${server.output.stderr}`);
process.exitCode = code;
