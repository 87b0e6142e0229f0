// A clock that only the test moves: that of a process, and of the databases that it drives.

import type { ClientConfig } from 'pg';
import { DatabaseError } from 'pg';
import { inject } from 'vitest';
import type { Clock } from '../../packages/server/src/runtime/clock.ts';
import { query } from './query.ts';

/** Each database of the tests has this table in addition to those of the store. Its row, if there is one, is the time. */
export const testTimeSql = `
  create schema test;
  create table test.clock (only_row boolean primary key default true, now bigint);
`;

/** Replaces the function of the baseline by one that reads that row. */
export const testTimeFunctionSql = `
  create or replace function database_time() returns bigint language sql volatile as
  $$ select coalesce((select now from test.clock), floor(extract(epoch from clock_timestamp()) * 1000)::bigint) $$
`;

const writeTime = 'insert into test.clock (now) values ($1) on conflict (only_row) do update set now = $1';

/** The names of the databases that a clock drives. */
const driven = new Set<string>();

/** Sets the time of a database, on all of its nodes; one of a cluster that is away keeps its time. */
export async function setDatabaseTime({ database = '', ...own }: ClientConfig, now: number): Promise<void> {
  const nodes = inject('clusterNodes');
  for (const node of nodes ?? [own]) {
    try {
      await query({ ...node, database }, writeTime, [now]);
    } catch (error) {
      if (nodes === undefined || (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
    }
  }
}

const databaseGone = '3D000';

export class TestClock implements Clock {
  #now: number;
  /** The databases that follow this clock, by name. */
  readonly #followers = new Map<string, ClientConfig>();

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  async set(now: number): Promise<void> {
    this.#now = now;
    for (const database of this.#followers.keys()) await this.#write(database);
  }

  advance(ms: number): Promise<void> {
    return this.set(this.#now + ms);
  }

  /** The time of a database is that of this clock from now on, unless another one drives it. */
  async drive({ connection }: { readonly connection: ClientConfig }): Promise<void> {
    const { database = '' } = connection;
    if (driven.has(database)) return;
    driven.add(database);
    this.#followers.set(database, connection);
    try {
      await this.#write(database);
    } catch {
      // A database that a test prepares in a way of its own: its time is real.
      this.#followers.delete(database);
    }
  }

  async #write(database: string): Promise<void> {
    try {
      const connection = this.#followers.get(database);
      if (connection !== undefined) await setDatabaseTime(connection, this.#now);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== databaseGone) throw error;
      this.#followers.delete(database);
    }
  }
}
