// One connection for long work: an export, an import. Its statements may take as long as the data is large, so
// that none of the pool's time-outs holds here; a network that has died is noticed by keep-alives.

import { Client, type ClientConfig } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { closedDatabase, unreachableDatabase } from '../../runtime/start-problem.ts';
import { getTypeParser, type Queryable } from './database.ts';
import { DatabaseUnavailable, databaseFailure, isForbidden } from './database-failure.ts';
import type { Statement } from './statement.ts';

/** A machine that is not there is noticed within this time, in ms. */
const connectMs = 5_000;

export class Session implements Queryable, AsyncDisposable {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** @throws DatabaseUnavailable; StartProblem for what a setting has to say otherwise. */
  static async open(connection: ClientConfig): Promise<Session> {
    const client = clientOf(connection);
    // A connection that breaks fails the statement that runs on it; it must not end the process besides.
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (error) {
      await client.end();
      const failure = databaseFailure(error);
      throw failure instanceof DatabaseUnavailable ? failure : unreachableDatabase(error);
    }
    return new Session(client);
  }

  /** @throws DatabaseUnavailable; StartProblem for what the account may not do. */
  async rows<Row>({ name, text, read }: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    try {
      const result = await this.#client.query({ name, text, values: values as unknown[] });
      return result.rows.map(read);
    } catch (error) {
      throw sessionFailure(error);
    }
  }

  /** Runs what begins, ends or marks a transaction. */
  async control(text: string): Promise<void> {
    try {
      await this.#client.query(text);
    } catch (error) {
      throw sessionFailure(error);
    }
  }

  /**
   * The output of `copy ... to stdout`, a line for each row, read no faster than it is taken.
   * @throws as `rows` does.
   */
  async *copyOut(text: string): AsyncGenerator<Buffer> {
    try {
      for await (const piece of this.#client.query(copyTo(text))) yield piece as Buffer;
    } catch (error) {
      throw sessionFailure(error);
    }
  }

  /** A value as it stands in SQL, for statements that take no parameters. */
  literal(value: string): string {
    return this.#client.escapeLiteral(value);
  }

  /** Whatever was under way is broken off, and rolled back by PostgreSQL. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}

/** What an account may not do is for its owner to mend. */
function sessionFailure(error: unknown): unknown {
  return isForbidden(error) ? closedDatabase(error) : databaseFailure(error);
}

/** Reads the files that a URL names. */
function clientOf(connection: ClientConfig): Client {
  try {
    return new Client({
      ...connection,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      types: { getTypeParser },
    });
  } catch (error) {
    throw unreachableDatabase(error);
  }
}
