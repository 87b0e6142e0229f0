// opentill app: creates, lists, disables and enables apps, and rotates their client secrets.

import type { App } from '@opentill/client/operator';
import { keepPreviousSeconds } from '@opentill/contract/limits.ts';
import type { Command } from 'commander';
import { wholeNumber } from '../arguments.ts';
import { type ListOptions, listed, withLimit } from '../listed.ts';
import { callsServer } from '../server-call.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Columns } from '../terminal/output.ts';

const columns: Columns<App> = {
  packageName: (app) => app.packageName,
  clientId: (app) => app.clientId,
  name: (app) => app.name,
  state: (app) => (app.disabled ? 'disabled' : 'active'),
  createdAt: (app) => app.createdAt,
};

const secretNote = 'Keep the client secret now: it is not shown again.';

export function addAppCommands(program: Command, surroundings: Surroundings): void {
  const app = program.command('app').description('create and list apps, change their secrets');

  const create = app
    .command('create <package-name>')
    .description('create an app; its client secret is shown once')
    .option('--name <name>', 'a display name')
    .option('--client-id <id>', 'the OAuth client_id; by default the package name');
  callsServer<{ name?: string; clientId?: string }>(
    create,
    surroundings,
    async ({ client, output, options, ending }, packageName = '') => {
      const { name, clientId } = options;
      output.record(await client.createApp({ packageName, name, clientId }, ending));
      output.note(secretNote);
    },
  );

  const list = withLimit(app.command('list').description('list the apps'));
  callsServer<ListOptions>(list, surroundings, async ({ client, output, options, ending }) => {
    const apps = await listed(options, output, async (page) => {
      const { apps: entries, ...next } = await client.listApps(page, ending);
      return { entries, ...next };
    });
    await output.list(apps, columns);
  });

  addSecretCommand(app, surroundings);
  addSwitch(app, surroundings, {
    name: 'disable',
    disabled: true,
    description: 'end the tokens of an app, and let it sell and renew nothing until it is enabled',
  });
  addSwitch(app, surroundings, {
    name: 'enable',
    disabled: false,
    description: 'let an app request tokens, sell and renew again',
  });
}

function addSecretCommand(app: Command, surroundings: Surroundings): void {
  const rotate = app
    .command('rotate-secret <package-name>')
    .description('create a new client secret; the previous one stays valid for a while')
    .option(
      '--keep-previous-for <seconds>',
      'how long the previous secret stays valid; 0 ends it immediately (default: a day)',
      wholeNumber(keepPreviousSeconds.min, keepPreviousSeconds.max),
    )
    .option('--force', 'rotate even while a previous secret is valid, which ends that one immediately');
  callsServer<{ keepPreviousFor?: number; force?: boolean }>(
    rotate,
    surroundings,
    async ({ client, output, options, ending }, packageName = '') => {
      const { keepPreviousFor: keepPreviousForSeconds, force } = options;
      const rotation = { packageName, keepPreviousForSeconds, force };
      output.record(await client.rotateClientSecret(rotation, ending));
      output.note(secretNote);
    },
  );
}

function addSwitch(
  app: Command,
  surroundings: Surroundings,
  to: { readonly name: string; readonly disabled: boolean; readonly description: string },
): void {
  const command = app.command(`${to.name} <package-name>`).description(to.description);
  callsServer(command, surroundings, async ({ client, output, ending }, packageName = '') => {
    output.record(await client.updateApp({ packageName, disabled: to.disabled }, ending));
  });
}
