// npm run bench:console: the console on a store with 5,000 apps and 1,000,000 purchases: its lists and searches, its
// first page in a browser, and reads of the purchase API while consoles are open.

import { createApps } from './apps.ts';
import { buildConsole, measureBrowser } from './console-browser.ts';
import { measureLists } from './console-lists.ts';
import { measureOpenConsoles } from './console-polling.ts';
import { fillStore, largeStore } from './large-store.ts';
import { report } from './report.ts';
import { startBench } from './servers.ts';

const packageName = 'com.bench.main';
const msPerSecond = 1_000;

await buildConsole();
await using bench = await startBench();
const settings = { OPENTILL_JOBS: 'off' };
const [app] = await createApps(await bench.startServer(settings), [packageName]);
if (app === undefined) throw new Error('No app was created.');
const begun = performance.now();
await fillStore(bench.postgres.connection, packageName, largeStore, Date.now());
report('filling the store, seconds', (performance.now() - begun) / msPerSecond);
// It plans its statements for the filled tables.
const server = await bench.startServer(settings);
await measureLists(server, packageName);
await measureBrowser(server, app);
await measureOpenConsoles(server, app, largeStore.purchases);
