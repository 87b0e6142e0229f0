// One connection for long work such as an export or an import. The pool's timeouts do not apply, since the time of a
// statement depends on the amount of data; keep-alives detect a dead network.

import { finished } from 'node:stream/promises';
import { Client, type ClientConfig } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { closedDatabase, unreachableDatabase } from '../../runtime/start-problem.ts';
import { getTypeParser, type Queryable, type Statement } from '../statements/statement.ts';
import { DatabaseUnavailable, databaseFailure, isForbidden } from './database-failure.ts';
import { requireOwnBackend } from './pooler.ts';
import { applyOwnSettings, noTimeouts } from './session-settings.ts';

/** How long a connection attempt may take, in ms. */
export const connectMs = 5_000;

export class Session implements Queryable, AsyncDisposable {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** @throws DatabaseUnavailable; StartProblem for an invalid setting. */
  static async open(connection: ClientConfig): Promise<Session> {
    const client = await connected(connection);
    try {
      await requireOwnBackend(client, () => connected(connection));
      await applyOwnSettings(client, noTimeouts);
    } catch (error) {
      await client.end();
      throw databaseFailure(error);
    }
    return new Session(client);
  }

  /** @throws DatabaseUnavailable; StartProblem if the account lacks a permission. */
  async rows<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    try {
      return await queryableOn(this.#client).rows(statement, values);
    } catch (error) {
      throw sessionFailure(error);
    }
  }

  /** Runs a statement without parameters, such as one that begins or ends a transaction. */
  async control(text: string): Promise<void> {
    try {
      await this.#client.query(text);
    } catch (error) {
      throw sessionFailure(error);
    }
  }

  /**
   * Yields the output of `copy ... to stdout`, a line for each row, no faster than the consumer reads it.
   * @throws the errors of `rows`.
   */
  async *copyOut(text: string): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.#client.query(copyTo(text))) yield chunk as Buffer;
    } catch (error) {
      throw sessionFailure(error);
    }
  }

  /**
   * Runs `copy ... from stdin` on rows in its text format.
   * @throws the errors of `rows`.
   */
  async copyIn(text: string, rows: string): Promise<void> {
    try {
      await finished(this.#client.query(copyFrom(text)).end(rows));
    } catch (error) {
      throw sessionFailure(error);
    }
  }

  /** A value as an SQL literal, for statements without parameters. */
  literal(value: string): string {
    return this.#client.escapeLiteral(value);
  }

  /** PostgreSQL cancels and rolls back unfinished work. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}

/** Runs statements on one connection, and throws the errors of the driver. */
export function queryableOn(client: Client): Queryable {
  return {
    async rows({ name, text, read }, values) {
      const result = await client.query({ name, text, values: values as unknown[] });
      return result.rows.map(read);
    },
  };
}

/** A missing permission is for the operator to fix. */
function sessionFailure(error: unknown): unknown {
  return isForbidden(error) ? closedDatabase(error) : databaseFailure(error);
}

async function connected(connection: ClientConfig): Promise<Client> {
  const client = clientOf(connection);
  // A connection that breaks fails the statement that runs on it; it must not also end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end();
    const failure = databaseFailure(error);
    throw failure instanceof DatabaseUnavailable ? failure : unreachableDatabase(error);
  }
}

/** The constructor reads the files that a URL names. */
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
