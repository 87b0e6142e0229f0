// A hundred callers consume one purchase at the same time, a thousand times: each time one may succeed.

import { Agent, request } from 'node:http';
import type { LoadRequest } from './load.ts';

export interface RaceReport {
  readonly rounds: number;
  /** Rounds in which not exactly one call succeeded, or another answer than 200 and 9201 came. */
  readonly wrongRounds: number;
}

export async function runRaces(races: {
  readonly url: string;
  readonly rounds: number;
  readonly callers: number;
  readonly requestOf: (round: number) => LoadRequest;
}): Promise<RaceReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: races.callers });
  let wrongRounds = 0;
  for (let round = 0; round < races.rounds; round += 1) {
    const one = races.requestOf(round);
    const answers = await Promise.all(
      Array.from({ length: races.callers }, () => callOnce(races.url, one, agent)),
    );
    const successes = answers.filter(({ status }) => status === 200).length;
    const refusals = answers.filter(({ status, text }) => status === 409 && text.includes('9201')).length;
    if (successes !== 1 || refusals !== races.callers - 1) wrongRounds += 1;
  }
  agent.destroy();
  return { rounds: races.rounds, wrongRounds };
}

function callOnce(
  url: string,
  { method, path, headers }: LoadRequest,
  agent: Agent,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    call.on('error', reject);
    call.end();
  });
}
