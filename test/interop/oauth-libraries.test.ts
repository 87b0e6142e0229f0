// OAuth libraries as clients of the token endpoint.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startSandbox } from '@opentill/server/testing';
import { expect, test } from 'vitest';
import { useForFile } from '../../packages/server/test/harness.ts';
import { installed, oauthPrograms } from './programs.ts';

const run = promisify(execFile);

const { host, createApp } = await useForFile(startSandbox());

test.each(installed(oauthPrograms))(
  '$name gets a token, reads a purchase and consumes it',
  async ({ command: [file, ...args], env }) => {
    const { options, sandbox } = await createApp();
    await sandbox.putProduct({ productId: 'coins', type: 'one_time', price: 1, currency: 'EUR' });
    const { purchaseId } = await sandbox.recordPurchase({ productId: 'coins', developerPayload: 'order-1' });
    const { stdout } = await run(file, args, {
      env: {
        ...process.env,
        ...env,
        STORE_URL: host,
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
