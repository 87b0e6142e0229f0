// PostgreSQL is frozen for ten seconds, and then restarted: calls get 503 in time, and the server serves again.

import { findPostgresProcesses, requirePostmasterId } from '../../packages/server/test/embedded/scratch.ts';
import { startBundledStore } from './bundled-store.ts';
import { untilFaultEnds } from './store-checks.ts';

await using store = await startBundledStore();

const frozen = findPostgresProcesses(store.clusterFolder);
for (const pid of frozen) process.kill(pid, 'SIGSTOP');
await untilFaultEnds(performance.now());
for (const pid of frozen) process.kill(pid, 'SIGCONT');
await store.reportRecovery();

const postmaster = await requirePostmasterId(store.dataFolder);
const unavailable = store.untilUnavailable();
process.kill(postmaster, 'SIGINT');
await unavailable;
await store.reportRecovery();
await store.finish();
