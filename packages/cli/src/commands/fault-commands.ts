// opentill fault: injects faults into the calls of an app in the sandbox.

import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import type { Faults, NewFault } from '@opentill/client/operator';
import type { Command } from 'commander';
import { positiveNumber, wholeNumber } from '../arguments.ts';
import { callsServer } from '../server-call.ts';
import { type Surroundings, UsageProblem } from '../surroundings.ts';
import type { Output } from '../terminal/output.ts';

interface FaultOptions {
  readonly file?: string;
  readonly operation?: string;
  readonly code?: number;
  readonly httpStatus?: number;
  readonly delayMs?: number;
  readonly cut?: string;
  readonly outcome?: string;
  readonly times?: number;
  readonly probability?: number;
  readonly seed?: number;
}

/** The fields of a fault that describe its effect. */
const effects = ['code', 'httpStatus', 'delayMs', 'cut', 'outcome'] as const;

const number = wholeNumber(0, Number.MAX_SAFE_INTEGER);

export function addFaultCommands(program: Command, surroundings: Surroundings): void {
  const fault = program
    .command('fault')
    .description('inject faults into the requests of an app, in the sandbox');

  const put = fault
    .command('put <package-name>')
    .description('replace the faults of an app with one fault or with a list from a file')
    .option('--file <file>', 'a JSON list of faults; - reads standard input')
    .option('--operation <operation>', 'the operation that fails, or charge')
    .option('--code <code>', 'respond with this error code', number)
    .option('--http-status <status>', 'respond with this HTTP status', number)
    .option('--delay-ms <ms>', 'delay the response', number)
    .option('--cut <when>', 'cut the connection before or after the operation')
    .option('--outcome <outcome>', 'outcome of a charge: declined, declined_final, pending or no_answer')
    .option('--times <number>', 'number of requests that fail', number)
    .option('--probability <number>', 'probability that a request fails', positiveNumber)
    .option('--seed <number>', 'seed for reproducible random choices', number);
  callsServer<FaultOptions>(put, surroundings, async (call, packageName = '') => {
    const faults = await faultsOf(call.options, surroundings);
    await show(call.output, await call.client.putFaults({ packageName, faults }, call.ending));
  });

  const list = fault
    .command('list <package-name>')
    .description('list the faults and how often each was applied');
  callsServer(list, surroundings, async ({ client, output, ending }, packageName = '') => {
    await show(output, await client.getFaults({ packageName }, ending));
  });

  const clear = fault.command('clear <package-name>').description('remove all faults');
  callsServer(clear, surroundings, async ({ client, output, ending }, packageName = '') => {
    await show(output, await client.putFaults({ packageName, faults: [] }, ending));
  });
}

/** Returns the list from a file, or the one fault that the other options describe; the server validates it. */
async function faultsOf(options: FaultOptions, { stdin }: Surroundings): Promise<readonly NewFault[]> {
  const { file, operation, code, httpStatus, delayMs, cut, outcome, times, probability, seed } = options;
  const one = { operation, code, httpStatus, delayMs, cut, outcome, times, probability, seed };
  if (file === undefined) {
    if (operation === undefined) throw new UsageProblem('Use --operation, or --file with a list of faults.');
    return [one as NewFault];
  }
  if (Object.values(one).some((value) => value !== undefined)) {
    throw new UsageProblem('Use either --file or the options of one fault, not both.');
  }
  try {
    const list: unknown = JSON.parse(file === '-' ? await textOf(stdin) : await readFile(file, 'utf8'));
    if (Array.isArray(list)) return list as NewFault[];
  } catch (error) {
    throw new UsageProblem(`--file: ${(error as Error).message}.`);
  }
  throw new UsageProblem('--file: expected a JSON list of faults.');
}

async function show(output: Output, { faults }: Faults): Promise<void> {
  await output.list(faults, {
    operation: (fault) => fault.operation,
    effect: (fault) =>
      effects
        .filter((name) => fault[name] !== undefined)
        .map((name) => `${name} ${fault[name]}`)
        .join(', '),
    times: (fault) => fault.times,
    probability: (fault) => fault.probability,
    applied: (fault) => fault.applied,
  });
}
