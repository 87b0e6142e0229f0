// The connections to PostgreSQL: a bounded pool, a bound on every wait, statements and transactions. It
// knows nothing of what is stored.

import {
  type ClientConfig,
  Pool,
  type PoolClient,
  Query,
  type QueryArrayConfig,
  type QueryResult,
  types,
} from 'pg';
import Type from 'typebox';
import { AnswerDeadline } from '../../runtime/answer-deadline.ts';
import { DatabaseUnavailable, databaseFailure } from './database-failure.ts';
import { type Statement, statement } from './statement.ts';
import { type TurnScope, Turns } from './turns.ts';

/**
 * Bounds on waiting, in ms. A request that meets a dead database waits for a connection and then for a
 * statement: both together stay under the 3 seconds within which every call is answered.
 */
const databaseTimeouts = {
  connectMs: 1_000,
  /** PostgreSQL gives up on a statement. */
  statementMs: 1_500,
  /** We give up on PostgreSQL: a dead network answers no statement_timeout. */
  queryMs: 1_700,
  /** A row lock held longer than this is treated as stuck. */
  lockMs: 1_000,
  /** All statements of one transaction together. */
  transactionMs: 2_500,
  /** PostgreSQL ends a transaction whose server has gone silent: its row locks are free again. */
  idleInTransactionMs: 3_000,
} as const;

interface DatabaseOptions {
  readonly connection: ClientConfig;
  readonly poolSize: number;
  /** Told of a connection that broke while nobody used it. */
  readonly onIdleFailure: (error: Error) => void;
}

/** Runs statements: one by one on the pool, or inside a transaction. */
export interface Queryable {
  rows<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
}

const isClusterThere = statement({
  name: 'is_cluster_there',
  text: `select exists (select from pg_catalog.pg_extension where extname = 'citus') as "isThere"`,
  row: Type.Object({ isThere: Type.Boolean() }),
});

interface QueryText {
  /** The name of the prepared statement; undefined: the statement is not prepared. */
  readonly name?: string;
  readonly text: string;
  readonly rowMode?: 'array' | undefined;
}

/** Limits the wait for a result, since PostgreSQL's own statement_timeout does not help on a dead network. */
class BoundedQueries {
  readonly #deadline: AnswerDeadline<PoolClient>;

  /** A connection whose result takes longer than `limitMs` is closed, so its statement fails as on a lost connection. */
  constructor(limitMs: number) {
    this.#deadline = new AnswerDeadline(limitMs, (client) => void client.end());
  }

  result(
    client: PoolClient,
    { name, text, rowMode }: QueryText,
    values: readonly unknown[],
  ): Promise<QueryResult> {
    // pg copies a configuration, but not a text.
    const config: string | QueryArrayConfig = rowMode === undefined ? text : { text, rowMode };
    return new Promise((resolve, reject) => {
      const wait = this.#deadline.begin(client);
      const query = new Query(config, values as unknown[], (error, result) => {
        wait.answered();
        if (error) reject(error);
        else resolve(result);
      });
      client.query(Object.assign(query, { name }));
    });
  }
}

/** Of the pool's connections, those that work of one app may hold while it waits for rows: one in so many. */
const poolShareOfApp = 3;

export class Database implements Queryable, AsyncDisposable {
  readonly #pool: Pool;
  readonly #turns: Turns;
  readonly #queries = new BoundedQueries(databaseTimeouts.queryMs);
  #isDistributed = true;

  constructor(options: DatabaseOptions) {
    this.#turns = new Turns(Math.max(1, Math.floor(options.poolSize / poolShareOfApp)));
    this.#pool = new Pool({
      ...options.connection,
      max: options.poolSize,
      connectionTimeoutMillis: databaseTimeouts.connectMs,
      statement_timeout: databaseTimeouts.statementMs,
      lock_timeout: databaseTimeouts.lockMs,
      idle_in_transaction_session_timeout: databaseTimeouts.idleInTransactionMs,
      keepAlive: true,
      types: { getTypeParser },
    });
    // A pool that ends does not wait for its goodbyes to be read: a database that ends next may well be the first.
    this.#pool.on('error', (error) => {
      if (!this.#pool.ending) options.onIdleFailure(error);
    });
    // Without a listener of its own, a connection that breaks within a transaction would end the process. Its
    // statement fails with the same error, and whoever runs it is told there.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** Whether tables may be distributed over a cluster, so that a statement for many apps has to name them. */
  get isDistributed(): boolean {
    return this.#isDistributed;
  }

  /** Asks the database whether it belongs to a cluster. Until it has answered, every statement is fit for one. */
  async detectCluster(): Promise<void> {
    const [found] = await this.rows(isClusterThere, []);
    this.#isDistributed = found?.isThere !== false;
  }

  async rows<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    try {
      const result = await this.#query(statement, values);
      return result.rows.map(statement.read);
    } catch (error) {
      throw databaseFailure(error);
    }
  }

  /** On any connection of the pool; one whose statement failed is not used again. */
  async #query(query: QueryText, values: readonly unknown[]): Promise<QueryResult> {
    const client = await this.#pool.connect();
    try {
      const result = await this.#queries.result(client, query, values);
      client.release();
      return result;
    } catch (error) {
      client.release(error instanceof Error ? error : true);
      throw error;
    }
  }

  /**
   * Runs work that may wait for a held row, so that it delays only what needs that row too. Never from within
   * such work.
   * @throws DatabaseUnavailable when its turn does not come in time: then nothing was done.
   */
  inTurn<Result>(scope: TurnScope, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.take(scope, work);
  }

  /**
   * Runs `work` in turn, in one READ COMMITTED transaction, and commits what it wrote if it returns. The
   * connection is given up if all of it takes longer than `databaseTimeouts.transactionMs`.
   * @throws DatabaseUnavailable, also for a commit whose answer was lost: then the outcome is unknown.
   */
  transaction<Result>(scope: TurnScope, work: (transaction: Queryable) => Promise<Result>): Promise<Result> {
    return this.inTurn(scope, () => this.#transaction(work));
  }

  async #transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw databaseFailure(error);
    }
    const deadline = AbortSignal.timeout(databaseTimeouts.transactionMs);
    try {
      await this.#queries.result(client, { text: 'begin' }, []);
      const result = await work(this.#transactionOn(client, deadline));
      if (deadline.aborted) throw tookTooLong();
      await this.#queries.result(client, { text: 'commit' }, []);
      client.release();
      return result;
    } catch (error) {
      const failure = databaseFailure(error);
      await this.#rollBack(client, failure);
      throw failure;
    }
  }

  #transactionOn(client: PoolClient, deadline: AbortSignal): Queryable {
    return {
      rows: async (statement, values) => {
        if (deadline.aborted) throw tookTooLong();
        const result = await this.#queries.result(client, statement, values);
        return result.rows.map(statement.read);
      },
    };
  }

  /** A connection that cannot even roll back is closed: PostgreSQL then rolls back by itself. */
  async #rollBack(client: PoolClient, failure: unknown): Promise<void> {
    if (failure instanceof DatabaseUnavailable) {
      client.release(failure);
      return;
    }
    try {
      await this.#queries.result(client, { text: 'rollback' }, []);
      client.release();
    } catch (error) {
      client.release(error instanceof Error ? error : true);
    }
  }

  /** Whether PostgreSQL answers now, within the bounds of any other statement. */
  async isReachable(): Promise<boolean> {
    try {
      await this.#query({ text: 'select' }, []);
      return true;
    } catch (error) {
      if (databaseFailure(error) instanceof DatabaseUnavailable) return false;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }
}

function tookTooLong(): DatabaseUnavailable {
  return new DatabaseUnavailable('The transaction took too long.');
}

// bigint and count(*) come as text: every one of ours is an instant, a price or an order far below 2^53.
const int8Oid = 20;

function readInt8(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error(`A bigint of the database is out of range: ${value}`);
  return number;
}

/** How values are read from a connection. */
export const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === int8Oid && format !== 'binary'
    ? readInt8
    : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser;
