// What consuming is held against: the same statement, one purchase a transaction, without HTTP. By pgbench at 32
// clients; where pgbench is missing, through `pg`.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { consumeText } from '../src/store/consumptions.ts';
import { appCount, type Ledger, purchaseOf } from './bench-ledger.ts';

const clients = 32;
const threads = 2;
/** Purchases of one client: enough for the seconds of a run. */
const purchasesPerClient = 6_000;

export interface Baseline {
  readonly name: 'pgbench' | 'pg, one statement each';
  /** How many times as fast consuming has to be. */
  readonly bar: number;
  run(seconds: number): Promise<number>;
}

export async function consumeBaseline(ledger: Ledger): Promise<Baseline> {
  const hasPgbench = await promisify(execFile)('pgbench', ['--version']).then(
    () => true,
    () => false,
  );
  return hasPgbench
    ? { name: 'pgbench', bar: 1, run: (seconds) => runPgbench(ledger, seconds) }
    : { name: 'pg, one statement each', bar: 2, run: (seconds) => runPg(ledger, seconds) };
}

async function runPgbench({ postgres }: Ledger, seconds: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-pgbench-'));
  try {
    const script = join(folder, 'consume.sql');
    await writeFile(script, pgbenchScript());
    const { host, port, user, password, database } = postgres.connection;
    const options = ['-n', '-M', 'prepared', '-c', `${clients}`, '-j', `${threads}`, '-T', `${seconds}`];
    const { stdout } = await promisify(execFile)(
      'pgbench',
      [...options, '-D', 'n=0', '-f', script, '-h', host, '-p', `${port}`, '-U', user, database],
      { env: { ...process.env, PGPASSWORD: password } },
    );
    const tps = stdout.match(/tps = ([0-9.]+)/)?.[1];
    if (tps === undefined) throw new Error(`pgbench did not say how fast it was: ${stdout}`);
    return Number(tps);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function pgbenchScript(): string {
  const packageNames = `array['com.bench.app' || :id::integer % ${appCount}]`;
  const values = [
    packageNames,
    "array['B' || :id]",
    'array[1770000000000::bigint]',
    "array['app']",
    "array['bench']",
    packageNames,
    "'250'",
  ];
  const statement = values.reduce(
    (text, value, index) => text.replaceAll(new RegExp(`\\$${index + 1}\\b`, 'g'), () => value),
    consumeText,
  );
  const oneLine = statement.replaceAll(/\s+/g, ' ').trim();
  return `\\set n :n + 1\n\\set id :client_id * ${purchasesPerClient} + :n\n${oneLine};\n`;
}

async function runPg({ databaseUrl }: Ledger, seconds: number): Promise<number> {
  await using pool = Object.assign(new Pool({ connectionString: databaseUrl, max: clients }), {
    async [Symbol.asyncDispose]() {
      await pool.end();
    },
  });
  const endsAt = performance.now() + seconds * 1_000;
  let consumed = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let n = 1; n <= purchasesPerClient && performance.now() < endsAt; n += 1) {
        const { packageName, purchaseId } = purchaseOf(client * purchasesPerClient + n);
        const values = [
          [packageName],
          [purchaseId],
          [1_770_000_000_000],
          ['app'],
          ['bench'],
          [packageName],
          '250',
        ];
        await pool.query({ name: 'consume', text: consumeText, values });
        consumed += 1;
      }
    }),
  );
  return consumed / seconds;
}
