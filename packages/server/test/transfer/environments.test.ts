// What an import takes over from one environment or installation into another.

import { describe, expect, test } from 'vitest';
import { freshDatabase } from '../harness.ts';
import { appLine, exportText, header, productLine, purchaseLine } from './lines.ts';
import { exported, imported } from './transfer.ts';

const time = 1_790_000_000_000;

describe('between environments', () => {
  test('production takes the apps of a sandbox when told to, and none of its controls', async () => {
    await using production = await freshDatabase();
    const lines = [
      appLine('com.a', 1),
      productLine('com.a', 'coins'),
      purchaseLine('com.a', 'SANDBOX-1'),
      { kind: 'clock', packageName: 'com.a', mode: 'frozen', rate: 1, realTime: time, appTime: time },
    ];
    const head = { ...header, installationId: 'ab'.repeat(16) };
    const into = { environment: 'production', fromEnvironment: 'sandbox' } as const;
    const report = await imported(production.connection, exportText(lines, head), into);
    expect(report).toMatchObject({ problems: [], leftOut: 1, imported: { app: 1, product: 1, purchase: 1 } });
    const text = await exported(production.connection);
    expect(text).not.toContain('"clock"');
    // It stays an installation of its own.
    expect(text).toContain('"environment":"production","installationId":"07070707070707070707070707070707"');
  });

  test('production takes no test purchase from production', async () => {
    await using production = await freshDatabase();
    const lines = [appLine('com.a', 1), productLine('com.a', 'coins'), purchaseLine('com.a', 'SANDBOX-1')];
    const into = { environment: 'production', fromEnvironment: 'production' } as const;
    const text = exportText(lines, { ...header, environment: 'production' });
    expect((await imported(production.connection, text, into)).problems).toEqual([
      '4: purchaseId: that of a test purchase',
    ]);
  });
});

test('an installation takes the name of the exported one over while it has no app, and keeps its own after', async () => {
  await using empty = await freshDatabase();
  const named = (id: string) => ({ ...header, installationId: id.repeat(16) });
  const installationOf = async () => /"installationId":"(\w\w)/.exec(await exported(empty.connection))?.[1];
  await imported(empty.connection, exportText([]));
  expect(await installationOf()).toBe('07');
  await imported(empty.connection, exportText([appLine('com.a', 1)], named('aa')));
  expect(await installationOf()).toBe('aa');
  await imported(empty.connection, exportText([appLine('com.b', 2)], named('bb')));
  expect(await installationOf()).toBe('aa');
});
