// opentill listen: its options. The code that listens is loaded when the command runs.

import type { Command } from 'commander';
import { wholeNumber } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { type ListenOptions, secretVariable } from '../listen/listen-options.ts';
import { caMeaning, restartMeaning } from '../server-call.ts';

const retrySeconds = { default: 60, max: 86_400 } as const;

const summary = 'post the events of an app to a URL, signed as its webhook would, until Ctrl-C';

export function addListen(program: Command, context: CommandContext): void {
  program
    .command('listen')
    .summary(summary)
    .description(`${summary}. ${restartMeaning}`)
    .requiredOption('--forward-to <url>', 'where to post, such as http://127.0.0.1:3000/hook')
    .option('--host <url>', 'URL of the public listener; by default from OPENTILL_HOST and _PORT')
    .option('--client-id <id>', 'the client_id of the app', 'com.example.demo')
    .option(
      '--client-secret-file <file>',
      `a file with its client_secret; by default ${secretVariable} is used, or the demo's file in the data folder`,
    )
    .option('--data-dir <folder>', 'the data folder of a server with the demo')
    .option('--ca <file>', caMeaning)
    .option('--secret <secret>', 'whsec_ and base64, to sign with; by default one is created and printed')
    .option('--from <position>', 'start after the event with this id or order, not with new events')
    .option('--events <types...>', 'post only these types')
    .option(
      '--retry-seconds <number>',
      'how long an event is retried, every second, before it is skipped',
      wholeNumber(0, retrySeconds.max),
      retrySeconds.default,
    )
    .option('--json', 'print a line of JSON per event')
    .action(async (options: ListenOptions) => {
      const { listen } = await import('../listen/listen.ts');
      await listen(options, context);
    });
}
