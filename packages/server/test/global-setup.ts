// The programs that tests start, built once for a whole run.

import { buildPrograms } from '../../../test/support/built-programs.ts';
import { refusedStart } from '../../../test/support/start/opentill-process.ts';

export default async function setup(): Promise<() => Promise<void>> {
  await using starting = new AsyncDisposableStack();
  starting.use(await buildPrograms());
  await compileProgram();
  const running = starting.move();
  return () => running.disposeAsync();
}

/** Only a process that ends normally writes its compiled code, which servers that are killed later then use. */
async function compileProgram(): Promise<void> {
  const nobodyListens = 'postgresql://nobody@127.0.0.1:1/none';
  const { code, stderr } = await refusedStart({
    env: {
      DATABASE_URL: nobodyListens,
      OPENTILL_OPERATOR_KEYS: 'none:admin:a-key-that-no-caller-of-this-server-uses',
      OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 1).toString('base64url')}`,
    },
  });
  if (code !== 1 || !stderr.includes('ECONNREFUSED'))
    throw new Error(`The program does not start: ${stderr}`);
}
