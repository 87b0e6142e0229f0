// OAuth libraries as clients of the token endpoint.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openApp } from './example-backend.ts';
import { installed, oauthPrograms } from './programs.ts';

const run = promisify(execFile);

test.each(installed(oauthPrograms))(
  '$name gets a token, reads a purchase and consumes it',
  async ({ command: [file, ...args], env }) => {
    const { options, sell } = await openApp();
    const { purchaseId } = await sell('order-1');
    const { stdout } = await run(file, args, {
      env: {
        ...process.env,
        ...env,
        STORE_URL: options.host,
        CLIENT_ID: options.clientId,
        CLIENT_SECRET: options.clientSecret,
        PACKAGE_NAME: options.packageName,
        PURCHASE_ID: purchaseId,
      },
    });
    const [token = '', read = '', consumed = ''] = stdout.trim().split('\n');
    expect(token).toMatch(/^bearer 3[0-9]{3}$/i);
    expect(JSON.parse(read)).toMatchObject({ consumptionState: 0, developerPayload: 'order-1' });
    expect(JSON.parse(consumed)).toEqual({ consumptionState: 1, purchaseId });
  },
);
