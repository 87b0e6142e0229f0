// A small server that tests can kill: it starts the bundled PostgreSQL without fsync, prints how to connect and how
// many rows it has written, and stops on SIGTERM.

import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { StartProblem } from '../../src/runtime/start-problem.ts';

const [dataFolder = '', task = 'idle'] = process.argv.slice(2);

function tell(kind: string, value: unknown): void {
  process.stdout.write(`${JSON.stringify({ kind, value })}\n`);
}

async function writeRows(connection: object): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  for (let rows = 1; ; rows += 1) {
    await client.query('insert into acknowledged default values');
    tell('acknowledged', rows);
  }
}

try {
  const postgres = await startEmbeddedPostgres({ dataFolder, isDurable: false });
  tell('ready', postgres.connection);
  process.on('SIGTERM', () => void postgres.stop());
  if (task === 'ignore interrupts') process.on('SIGINT', () => undefined);
  if (task === 'write') await writeRows(postgres.connection);
} catch (error) {
  if (!(error instanceof StartProblem)) throw error;
  tell('problem', error.message);
  process.exitCode = 1;
}
