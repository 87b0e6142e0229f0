// A server with the settings of a page: it has to come up, say where it listens, and end as it should.

import { checkoutProgram } from '../built-programs.ts';
import { startOpentill } from '../start/opentill-process.ts';

const own = Object.entries(process.env).filter(([name]) => /^(?:OPENTILL_|DATABASE_URL$)/.test(name));
const settings = Object.fromEntries(own) as Record<string, string>;

/** Free ports, beside the server of the pages. */
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
