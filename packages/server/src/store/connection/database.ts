// The connections to PostgreSQL: a limited pool, a limit on every wait, statements and transactions.

import PQueue from 'p-queue';
import {
  type Client,
  type ClientConfig,
  Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
} from 'pg';
import { limitTime } from '../../runtime/pause.ts';
import { getTypeParser, type Queryable, type Statement } from '../statements/statement.ts';
import { AppQueues, type AppScope } from './app-queues.ts';
import { DatabaseUnavailable, databaseFailure, isOfOtherNode } from './database-failure.ts';
import { applyOwnSettings } from './session-settings.ts';

/**
 * Timeouts in ms. A call waits for a connection and then for a statement, together less than the 3 seconds within which
 * every call gets a response.
 */
const databaseTimeouts = {
  connectMs: 1_000,
  statementMs: 1_500,
  /** The server closes the connection: on a dead network, no statement_timeout arrives. */
  queryMs: 1_700,
  lockMs: 1_000,
  /** All statements of one transaction together. */
  transactionMs: 2_500,
  idleInTransactionMs: 3_000,
} as const;

interface DatabaseOptions {
  readonly connection: ClientConfig;
  readonly poolSize: number;
  /** Whether the tables are distributed over a cluster, so that a statement for many apps has to name them. */
  readonly isDistributed: boolean;
  /** Called when an unused connection breaks. */
  readonly onIdleFailure: (error: Error) => void;
  /** Multiplies the time limits; set by tests, which a busy machine must not fail. */
  readonly patience?: number | undefined;
  /** By name, in addition to those of every connection. */
  readonly settings?: Readonly<Record<string, string>>;
}

export type { Queryable } from '../statements/statement.ts';

/** Returned by the work of a transaction that must write nothing; `outcome` is then the result of the transaction. */
export class RolledBack<Outcome> {
  readonly #outcome: Outcome;

  constructor(outcome: Outcome) {
    this.#outcome = outcome;
  }

  get outcome(): Outcome {
    return this.#outcome;
  }
}

/** Connections for statements that read the rows of many apps: on a cluster each needs one to every node. */
const storeWidePoolSize = 4;

/** From its sixth run, a prepared update with a join would have a plan for any app, which visits every shard. */
const planForEachApp = { plan_cache_mode: 'force_custom_plan' };

/** An operator may let Citus log or reject statements that read several shards, but not those that have to. */
const allowSeveralShards = { ...planForEachApp, 'citus.multi_task_query_log_level': 'off' };

/** One app may use at most a third of the pool. */
const poolShareOfApp = 3;

/** The part of the database that a job uses. */
export type JobDatabase = Pick<Database, 'rows' | 'transaction' | 'isDistributed' | 'storeWide'>;

export class Database implements Queryable, AsyncDisposable {
  readonly #pool: Pool;
  readonly #queues: AppQueues;
  readonly isDistributed: boolean;
  readonly patience: number;
  /** undefined on one PostgreSQL. */
  readonly #storeWide: Database | undefined;

  constructor(options: DatabaseOptions) {
    this.isDistributed = options.isDistributed;
    this.patience = options.patience ?? 1;
    const slotsOfApp = Math.max(1, Math.floor(options.poolSize / poolShareOfApp));
    this.#queues = new AppQueues(slotsOfApp, this.patience);
    this.#pool = new Pool({
      ...options.connection,
      max: options.poolSize,
      connectionTimeoutMillis: databaseTimeouts.connectMs * this.patience,
      onConnect: (client) => this.#prepare(client as Client, options),
      keepAlive: true,
      types: { getTypeParser },
    });
    // A closing pool does not wait until PostgreSQL has closed the connections, so PostgreSQL may stop first.
    this.#pool.on('error', (error) => {
      if (!this.#pool.ending) options.onIdleFailure(error);
    });
    // Without its own listener, a connection that breaks within a transaction would end the process; its statement
    // fails with the same error.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    if (!options.isDistributed) return;
    this.#storeWide = new Database({
      ...options,
      poolSize: storeWidePoolSize,
      isDistributed: false,
      settings: allowSeveralShards,
    });
  }

  /** No statement runs on a connection without its settings. */
  async #prepare(
    client: Client,
    { isDistributed, settings = isDistributed ? planForEachApp : {} }: DatabaseOptions,
  ): Promise<void> {
    const { connectMs, statementMs, lockMs, idleInTransactionMs } = databaseTimeouts;
    const liftLimit = limitTime(connectMs * this.patience, () => void client.end());
    const timeouts = {
      statementMs: statementMs * this.patience,
      lockMs: lockMs * this.patience,
      idleInTransactionMs: idleInTransactionMs * this.patience,
    };
    try {
      await applyOwnSettings(client, timeouts, settings);
    } finally {
      liftLimit();
    }
  }

  /** For statements about all apps, which on a cluster read every shard. */
  get storeWide(): Queryable {
    return this.#storeWide ?? this;
  }

  /** For reads of any size: of one app, one at a time, or of all apps if it is undefined. */
  scopedTo(packageName: string | undefined): Queryable {
    if (packageName === undefined) return this.storeWide;
    return { rows: (...query) => this.enqueueRead(packageName, () => this.rows(...query)) };
  }

  /** For a job, which runs at most this many statements and transactions at once: most connections are for calls. */
  forJob(statementsMax: number): JobDatabase {
    const queue = new PQueue({ concurrency: statementsMax });
    return {
      isDistributed: this.isDistributed,
      storeWide: { rows: (scan, values) => queue.add(() => this.storeWide.rows(scan, values)) },
      rows: (each, values) => queue.add(() => this.rows(each, values)),
      transaction: (scope, work) => queue.add(() => this.transaction(scope, work)),
    };
  }

  async rows<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    try {
      const result = await this.#query(statement, values);
      return result.rows.map(statement.read);
    } catch (error) {
      throw databaseFailure(error);
    }
  }

  /** On any connection of the pool; one whose statement failed is not used again, unless it failed on another node. */
  async #query(query: Query, values: readonly unknown[]): Promise<QueryResult> {
    const client = await this.#pool.connect();
    try {
      const result = await this.#resultOf(client, query, values);
      client.release();
      return result;
    } catch (error) {
      client.release(!isOfOtherNode(error) && (error instanceof Error ? error : true));
      throw error;
    }
  }

  /**
   * Queues work that may wait for a locked row, so that it delays only work of the same app. Calls must not be nested.
   * @throws Overloaded if the work does not start in time.
   */
  enqueue<Result>({ packageName }: AppScope, work: () => Promise<Result>): Promise<Result> {
    return this.#queues.run(packageName, work);
  }

  /**
   * Queues a read of any size: an app has one at a time, in addition to its other work. Calls must not be nested.
   * @throws Overloaded if the read does not start in time.
   */
  enqueueRead<Result>(packageName: string, read: () => Promise<Result>): Promise<Result> {
    return this.#queues.runRead(packageName, read);
  }

  /**
   * Queues `work`, runs it in one READ COMMITTED transaction, and commits if it returns, unless it returns a RolledBack.
   * The connection is closed if the transaction takes longer than `databaseTimeouts.transactionMs`.
   * @throws DatabaseUnavailable, also for a commit whose response was lost: its outcome is unknown.
   */
  transaction<Result, Undone = never>(
    scope: AppScope,
    work: (transaction: Queryable) => Promise<Result | RolledBack<Undone>>,
  ): Promise<Result | Undone> {
    return this.enqueue(scope, () => this.#transaction(work));
  }

  async #transaction<Result, Undone>(
    work: (transaction: Queryable) => Promise<Result | RolledBack<Undone>>,
  ): Promise<Result | Undone> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw databaseFailure(error);
    }
    const deadline = AbortSignal.timeout(databaseTimeouts.transactionMs * this.patience);
    try {
      await this.#resultOf(client, { text: 'begin' });
      const result = await work(this.#transactionOn(client, deadline));
      if (deadline.aborted) throw tookTooLong();
      const isUndone = result instanceof RolledBack;
      await this.#resultOf(client, { text: isUndone ? 'rollback' : 'commit' });
      client.release();
      return isUndone ? result.outcome : result;
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
        const result = await this.#resultOf(client, statement, values);
        return result.rows.map(statement.read);
      },
    };
  }

  /** A connection whose result takes too long is closed, so that its statement fails as on a lost connection. */
  async #resultOf(
    client: PoolClient,
    { name, text, rowMode }: Query,
    values: readonly unknown[] = [],
  ): Promise<QueryResult> {
    const liftLimit = limitTime(databaseTimeouts.queryMs * this.patience, () => void client.end());
    try {
      return await client.query({ name, text, rowMode, values: values as unknown[] } as QueryConfig);
    } finally {
      liftLimit();
    }
  }

  /** A connection that cannot roll back is closed, which makes PostgreSQL roll back. */
  async #rollBack(client: PoolClient, failure: unknown): Promise<void> {
    if (failure instanceof DatabaseUnavailable && !isOfOtherNode(failure.cause)) {
      client.release(failure);
      return;
    }
    try {
      await this.#resultOf(client, { text: 'rollback' });
      client.release();
    } catch (error) {
      client.release(error instanceof Error ? error : true);
    }
  }

  /** Whether PostgreSQL responds within the timeouts of a statement. */
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
    await Promise.all([this.#pool.end(), this.#storeWide?.[Symbol.asyncDispose]()]);
  }
}

type Query = Pick<QueryConfig, 'name' | 'text'> & { readonly rowMode?: 'array' | undefined };

function tookTooLong(): DatabaseUnavailable {
  return new DatabaseUnavailable('The transaction took too long.');
}
