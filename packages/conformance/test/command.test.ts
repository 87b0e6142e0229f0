// The command `conformance`: its options, its output and its exit codes.

import { createServer } from 'node:http';
import { Command, CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { useForFile } from '../../../test/support/harness.ts';
import { listenOnLoopback } from '../../../test/support/loopback.ts';
import { checks } from '../src/checks/checks.ts';
import { addConformanceCommand, secretVariable } from '../src/command.ts';
import { type Fault, failed, startPlantedServer } from './planted-server.ts';

const server = await useForFile(startPlantedServer());

interface Ran {
  readonly exitCode: number | undefined;
  readonly printed: string;
  readonly problem: string;
}

/** Runs a command line in this process, with the `--host` and `--client-id` of the server unless it is `list`. */
async function run(
  flags: readonly string[],
  {
    env = { [secretVariable]: server.app.clientSecret },
    fault,
  }: { env?: Record<string, string>; fault?: Fault } = {},
): Promise<Ran> {
  server.plant(fault);
  let printed = '';
  let problem = '';
  let exitCode: number | undefined;
  const write = (text: string) => {
    printed += text;
  };
  const writeErr = (text: string) => {
    problem += text;
  };
  const program = new Command('opentill').exitOverride().configureOutput({ writeOut: write, writeErr });
  addConformanceCommand(program, {
    env,
    write,
    colours: false,
    setExitCode: (code) => {
      exitCode = code;
    },
  });
  const target = ['--host', server.origin, '--client-id', server.app.clientId];
  const line = flags[0] === 'list' ? flags : [...target, ...flags];
  try {
    await program.parseAsync(['conformance', ...line], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    exitCode = error.exitCode;
  }
  return { exitCode, printed, problem };
}

describe('exit codes', () => {
  test('the exit code is 0 if every check passed', async () => {
    const { exitCode, printed } = await run(['--only', 'content-type', 'error-02']);
    expect(printed).toMatch(/\n3 passed, 0 failed, 0 inconclusive, in \d+\.\d s\n$/);
    expect(exitCode).toBe(0);
  });

  test('the exit code is 1 if a check failed', async () => {
    const fault: Fault = (seen, respond) => (seen.path.includes('voided') ? failed(9001) : respond(seen));
    const { exitCode, printed } = await run(['--only', 'voided-01', 'details-01', '--allow-inconclusive'], {
      fault,
    });
    expect(printed).toMatch(/\nFAIL +voided-01 /);
    expect(exitCode).toBe(1);
  });

  test('the exit code is 3 if a check is inconclusive, and 0 with --allow-inconclusive', async () => {
    const only = ['--only', 'token-01', 'details-01'];
    expect((await run(only)).exitCode).toBe(3);
    expect((await run([...only, '--allow-inconclusive'])).exitCode).toBe(0);
  });

  test.each([[], ['--allow-inconclusive']])(
    'the exit code is 1, with one line, if the server is unreachable or no check passed: %j',
    async (...flags) => {
      const unreachable = await run(['--host', 'http://127.0.0.1:9', ...flags]);
      expect(unreachable.printed).toMatch(
        /^No check of http:.+ passed: POST \/v2\/oauth\/token got no response: .*ECONNREFUSED.*\n$/,
      );
      expect(unreachable.exitCode).toBe(1);
      const lacking = await run(['--only', 'details-01', ...flags]);
      expect(lacking.printed).toMatch(
        /^No check of .+ passed: Needs --unconsumed-purchase, or --sandbox\.\n$/,
      );
      expect(lacking.exitCode).toBe(1);
    },
  );

  test('the exit code is 1 if the server goes away during the run', async () => {
    const leaving = createServer((_request, response) => {
      const headers = { 'content-type': 'application/json', connection: 'close' };
      response.writeHead(200, headers).end('{"access_token":"the-only-token"}');
      leaving.close();
    });
    const { port } = await listenOnLoopback(leaving);
    const ran = await run(['--host', `http://127.0.0.1:${port}`, '--allow-inconclusive']);
    expect(ran.printed).toMatch(/^pass +token-01 /m);
    expect(ran.printed).toContain('ECONNREFUSED');
    expect(ran.exitCode).toBe(1);
  });

  test.each([
    [['--host', 'http://store.example'], /--host: expected .* http is only allowed for a server on/],
    [['--call-timeout', 'soon'], /--call-timeout: expected seconds, .* got "soon"\./],
    [['--other-package', 'a'], /--other-package and --other-purchase: expected both or neither\./],
    [['--client-secret-file', '/nowhere/secret'], /\/nowhere\/secret cannot be read: ENOENT/],
  ])('the exit code is 2 for %j', async (flags, problem) => {
    const ran = await run(flags);
    expect(ran.problem).toMatch(problem);
    expect(ran).toMatchObject({ exitCode: 2, printed: '' });
    expect(server.calls).toEqual([]);
  });

  test('the exit code is 2 without a secret, which is not an option', async () => {
    const ran = await run([], { env: {} });
    expect(ran.problem).toContain('There is no client secret: expected CONFORMANCE_CLIENT_SECRET or');
    expect(ran.exitCode).toBe(2);
    expect((await run(['--client-secret', server.app.clientSecret])).problem).toContain('unknown option');
  });
});

test('conformance list prints each check with its rule and section, and marks those that may change data', async () => {
  const lines = (await run(['list'])).printed.split('\n');
  for (const { id, rule, section, changes } of checks) {
    const line = lines.find((text) => text.startsWith(`${id} `));
    expect(line?.endsWith(` ${rule} (${section})`), id).toBe(true);
    expect(line?.includes(' * '), id).toBe(changes === true);
  }
});
