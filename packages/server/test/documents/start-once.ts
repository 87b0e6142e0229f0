// Starts a server with the settings of a page, which has to print where it listens, to show its console and to stop cleanly.
// With a file, it is the server of that unit of systemd.

import { readFile } from 'node:fs/promises';
import { checkoutProgram } from '../../../../test/support/built-programs.ts';
import { startOpentill } from '../../../../test/support/start/opentill-process.ts';

const [, , unit] = process.argv;

/** The program of a unit, which is in the folder that the page installs into. */
async function programOf(path: string): Promise<string> {
  const [, program = ''] = /^ExecStart=.* (\/opt\/\S+) serve$/m.exec(await readFile(path, 'utf8')) ?? [];
  return process.env['PAGE_STATE'] + program;
}

const own = Object.entries(process.env).filter(([name]) => /^(?:OPENTILL_|DATABASE_URL$)/.test(name));
const settings = Object.fromEntries(own) as Record<string, string>;

/** Free ports, because the server of the pages is running. */
const ports = { OPENTILL_PORT: '0', OPENTILL_OPERATOR_PORT: '0' };

await using server = startOpentill({
  env: { ...settings, ...ports },
  ...(unit === undefined
    ? { args: ['--demo'], program: checkoutProgram('server') }
    : { args: ['serve'], program: await programOf(unit) }),
});
const { operatorUrl } = await server.ready();
const { status } = await fetch(`${operatorUrl}/console/`);
server.signal('SIGTERM');
const code = (await server.ended()) ?? 1;
process.exitCode = code;
if (code !== 0)
  console.error(`the server ended with ${code}: ${server.output.stdout}${server.output.stderr}`);
if (status !== 200) throw new Error(`the console responded with ${status}`);
