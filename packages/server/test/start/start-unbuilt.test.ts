// A server of a checkout that was installed without scripts, so that nothing is built in it.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { buildNextVersion } from '../../../../test/support/built-programs.ts';
import { makeScratch } from '../../../../test/support/embedded/scratch.ts';
import { adminKey, call } from '../../../../test/support/harness.ts';
import { startOpentill } from '../../../../test/support/start/opentill-process.ts';

const command = 'run "npm run build" in the checkout';

test('without the built console, the welcome, doctor and the pages say which command builds it', async () => {
  await using scratch = await makeScratch();
  await using copy = await buildNextVersion({});
  const folder = join(dirname(copy.program), '../../..');
  const unbuilt = join(folder, 'node_modules/@opentill/console');
  await mkdir(unbuilt, { recursive: true });
  await writeFile(join(unbuilt, 'package.json'), '{}');
  const env = { OPENTILL_DATA_DIR: scratch.dataFolder, OPENTILL_OPERATOR_KEYS: `root:admin:${adminKey}` };
  await using server = startOpentill({ program: copy.program, env });
  const { publicUrl, operatorUrl } = await server.ready();
  expect(server.output.stdout).toContain(`not built      the documentation and the console: ${command}`);
  for (const page of [`${publicUrl}/docs`, `${operatorUrl}/docs/json`, `${operatorUrl}/console/`]) {
    const { status, text } = await call(page);
    expect([status, text], page).toEqual([503, expect.stringContaining(command)]);
  }
  const cli = join(folder, 'packages/cli/bin/opentill.cjs');
  await using doctor = startOpentill({ program: cli, args: ['doctor'], env });
  await doctor.ended();
  expect(doctor.output.stdout).toContain(`not built: ${command}`);
});
