// opentill clock: reads, freezes, runs and advances the clock of an app in the sandbox.

import { Argument, type Command } from 'commander';
import { instant, positiveNumber } from '../arguments.ts';
import { callsServer } from '../server-call.ts';
import { type Surroundings, UsageProblem } from '../surroundings.ts';

export function addClockCommands(program: Command, surroundings: Surroundings): void {
  const clock = program.command('clock').description('read and change the clock of an app, in the sandbox');

  const show = clock.command('show <package-name>').description('print the clock of an app');
  callsServer(show, surroundings, async ({ client, output, ending }, packageName = '') => {
    output.record(await client.getClock({ packageName }, ending));
  });

  const set = clock
    .command('set <package-name>')
    .addArgument(new Argument('<mode>', 'frozen or running').choices(['frozen', 'running']))
    .description('freeze the clock, or run it at a rate')
    .option('--rate <number>', 'ms of the app for each ms of real time', positiveNumber);
  callsServer<{ rate?: number }>(
    set,
    surroundings,
    async ({ client, output, options, ending }, packageName = '', mode = '') => {
      const chosen = mode === 'frozen' ? 'frozen' : 'running';
      output.record(await client.putClock({ packageName, mode: chosen, rate: options.rate }, ending));
    },
  );

  const advance = clock
    .command('advance <package-name>')
    .description('move the clock forward; everything that falls due has happened when this returns')
    .option('--by <duration>', 'an ISO 8601 duration such as P1M')
    .option('--to <instant>', 'an instant such as 2026-03-15T12:00:00Z', instant);
  callsServer<{ by?: string; to?: number }>(
    advance,
    surroundings,
    async ({ client, output, options, ending }, packageName = '') => {
      const { by, to } = options;
      if ((by === undefined) === (to === undefined))
        throw new UsageProblem('Use exactly one of --by and --to.');
      const whole = await client.advanceClock({ packageName, by, to }, ending);
      const { happened: rows, ...fields } = whole;
      await output.recordWithList(
        { whole, fields, rows },
        {
          eventTime: (event) => event.eventTime,
          type: (event) => event.type,
          purchaseId: (event) => ('purchaseId' in event ? event.purchaseId : undefined),
        },
      );
    },
  );
}
