// One statement on one connection, with a bound on how long we wait for its result: over a dead network PostgreSQL's
// own statement_timeout tells nobody (docs/decisions/performance.md).

import { type PoolClient, Query, type QueryArrayConfig, type QueryResult } from 'pg';
import { AnswerDeadline } from '../../runtime/answer-deadline.ts';

export interface QueryText {
  /** Names the prepared statement; without a name nothing is prepared. */
  readonly name?: string;
  readonly text: string;
  readonly rowMode?: 'array' | undefined;
}

export class BoundedQueries {
  readonly #deadline: AnswerDeadline<PoolClient>;

  /** A connection whose result takes longer than `limitMs` is closed: its statement fails as on a lost connection. */
  constructor(limitMs: number) {
    this.#deadline = new AnswerDeadline(limitMs, (client) => void client.end());
  }

  result(
    client: PoolClient,
    { name, text, rowMode }: QueryText,
    values: readonly unknown[],
  ): Promise<QueryResult> {
    // pg takes a text as it is, and copies a configuration first.
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
