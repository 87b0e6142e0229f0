// A store that awaits the consent of its customers moves with them.

import { expect, test } from 'vitest';
import { freshDatabase, useForFile } from '../../../../test/support/harness.ts';
import { exported } from '../../../../test/support/transfer/transfer.ts';
import { csvText, importedCsv, importTime } from './csv-files.ts';

const { connection } = await useForFile(freshDatabase());

test('a cancel that awaits consent stays one that only the store can undo', async () => {
  const packageName = 'com.example.asked';
  const [firstStartTime, expiryTime] = ['2026-08-31', '2026-09-30'].map((day) =>
    Date.parse(`${day}T00:00+09:00`),
  );
  const cancelledTime = importTime - 1_000;
  const club = { productId: 'club', firstStartTime, expiryTime, autoRenewing: false, cancelledTime };
  const files = {
    'products.csv': 'productId,price,currency,type,period\nclub,9900,KRW,subscription,P1M\n',
    'clubs.csv': csvText([
      { firstPurchaseId: 's-1', ...club, awaitsConsent: true },
      { firstPurchaseId: 's-2', ...club },
    ]),
  };
  await importedCsv(connection, files, { packageName });
  const lines = (await exported(connection, [packageName])).trimEnd().split('\n');
  const rows = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'subscription');
  const [asked, cancelled] = rows;
  expect(asked).toMatchObject({
    firstPurchaseId: 's-1',
    consent: 'awaited',
    cancelReason: '1',
    cancelledTime,
  });
  expect(cancelled).toMatchObject({ firstPurchaseId: 's-2', cancelReason: '0' });
  expect(cancelled).not.toHaveProperty('consent');
});
