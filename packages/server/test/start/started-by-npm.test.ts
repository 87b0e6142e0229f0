// A server started by npm: a shell runs between them, which a signal to npm ends and which does not forward signals.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtProgram } from '../../../../test/support/built-programs.ts';
import {
  findClusterFolder,
  findProcessesOf,
  makeScratch,
  type Scratch,
} from '../../../../test/support/embedded/scratch.ts';
import { adminKey } from '../../../../test/support/harness.ts';
import { startOpentill } from '../../../../test/support/start/opentill-process.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { exists } from '../../src/runtime/files.ts';

/** The shell has a second command, so that the server does not replace it. It prints the server's process id. */
const startByShell = ({ dataFolder }: Scratch) =>
  startOpentill({
    node: '/bin/sh',
    program: '-c',
    args: [`'${process.execPath}' '${builtProgram('server')}' & echo "pid $!"; wait $!; exit`],
    env: {
      OPENTILL_DATA_DIR: dataFolder,
      OPENTILL_OPERATOR_KEYS: `root:admin:${adminKey}`,
      // As `npm start`, without building the console.
      npm_lifecycle_event: 'npx',
    },
  });

test('a server started by npm stops even if the shell exited before the server was ready', async () => {
  await using scratch = await makeScratch();
  await using server = startByShell(scratch);
  const isBegun = () => exists(join(scratch.dataFolder, 'token.keys'));
  await waitFor(isBegun, { what: 'a server that starts' });
  server.signal('SIGTERM');
  await server.ended();
  expect(findProcessesOf(await findClusterFolder(scratch.dataFolder))).toEqual([]);
});
