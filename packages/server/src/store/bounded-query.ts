// One statement on one connection, with a bound on how long we wait for its result: over a dead network PostgreSQL's
// own statement_timeout tells nobody (docs/decisions/statement-bounds.md).

import { type PoolClient, Query, type QueryArrayConfig, type QueryResult } from 'pg';
import { AnswerDeadline } from '../runtime/answer-deadline.ts';

export interface QueryText {
  /** Names the prepared statement; without a name nothing is prepared. */
  readonly name?: string;
  readonly text: string;
  readonly rowMode?: 'array' | undefined;
}

type Settle = (error: Error | null | undefined, result: QueryResult) => void;

export class BoundedQueries {
  readonly #deadline: AnswerDeadline<PoolClient>;

  /** A connection whose result takes longer than `limitMs` is closed: its statement fails as on a lost connection. */
  constructor(limitMs: number) {
    this.#deadline = new AnswerDeadline(limitMs, (client) => void client.end());
  }

  /** Calls `settle` once, with the failure or with the result. */
  ask(
    client: PoolClient,
    { name, text, rowMode }: QueryText,
    values: readonly unknown[],
    settle: Settle,
  ): void {
    const wait = this.#deadline.begin(client);
    // pg takes a text as it is, and copies a configuration first.
    const config: string | QueryArrayConfig = rowMode === undefined ? text : { text, rowMode };
    const query = new Query(config, values as unknown[], (error, result) => {
      wait.answered();
      settle(error, result);
    });
    client.query(Object.assign(query, { name }));
  }

  result(client: PoolClient, query: QueryText, values: readonly unknown[]): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      this.ask(client, query, values, (error, result) => (error ? reject(error) : resolve(result)));
    });
  }
}
