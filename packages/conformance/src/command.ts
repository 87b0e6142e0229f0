// The command `conformance`: from what stands on a command line to a run, and from its report to an exit code.
// It loads the checks when it is run, not when a command line with other commands is made.

import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { callTimeoutMsDefault, runTimeoutMsDefault, runTimeoutMsMax } from './limits.ts';
import type { ConformanceReport } from './report/report.ts';
import { type ConformanceTarget, parseOrigin } from './target.ts';

/** What the command has of the process that it runs in. */
interface CommandSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to the standard output. */
  readonly write: (text: string) => void;
  /** Whether that is a terminal that shows colours. */
  readonly colours: boolean;
  readonly setExitCode: (code: number) => void;
  /** Ends the run early, with its report. */
  readonly signal?: AbortSignal;
}

export const exitCodes = { passed: 0, failed: 1, usage: 2, cannotTell: 3 } as const;

/** The environment variable that holds the client secret, where no file does. */
export const secretVariable = 'CONFORMANCE_CLIENT_SECRET';

const msPerSecond = 1_000;

interface Flags {
  readonly host?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly packageName?: string;
  readonly ca?: string;
  readonly sandbox?: true;
  readonly allowChanges?: true;
  readonly unconsumedPurchase?: readonly string[];
  readonly productId?: string;
  readonly consumedPurchase?: string;
  readonly voidedPurchase?: string;
  readonly subscription?: string;
  readonly otherPackage?: string;
  readonly otherPurchase?: string;
  readonly expiredTokenFile?: string;
  readonly otherEnvironmentTokenFile?: string;
  readonly only?: readonly string[];
  readonly callTimeout: string;
  readonly runTimeout: string;
  readonly json?: true;
  readonly junit?: string;
  readonly allowCannotTell?: true;
}

/** What is wrong with the command line; told in one line, with the exit code of usage. */
class UsageProblem extends Error {}

/**
 * Adds the command to a program. Where commander itself finds the command line wrong, the exit code is that of
 * the program's own `exitOverride`.
 */
export function addConformanceCommand(program: Command, surroundings: CommandSurroundings): void {
  const command = program
    .command('conformance')
    .summary('hold a server against the specification of the purchase API')
    .description(
      'Holds any server of the purchase API against the specification, check by check. It knows of the server what the options say; a check that needs more says that it cannot tell, and why.',
    );
  addTargetOptions(command);
  addRunOptions(command);
  command.addHelpText('after', helpAfter).action(async (flags: Flags) => {
    try {
      surroundings.setExitCode(await runCommand(flags, surroundings));
    } catch (error) {
      if (!(error instanceof UsageProblem)) throw error;
      command.error(`error: ${error.message}`, { exitCode: exitCodes.usage });
    }
  });
  command
    .command('list')
    .description('list the checks, each with the section of the specification that it follows')
    .option('--json', 'print JSON')
    .action(async (_flags: Flags, list: Command) => {
      const { listOfChecks, textOfChecks } = await import('./report/list.ts');
      // The option belongs to both commands, and commander gives it to the first of them.
      const { json } = list.optsWithGlobals<Flags>();
      surroundings.write(json === true ? `${JSON.stringify(listOfChecks, undefined, 2)}\n` : textOfChecks());
    });
}

const helpAfter = `
Environment:
  ${secretVariable}  the client secret, unless --client-secret-file names a file. No
                             option takes a secret: whoever lists processes would see it

Exit codes:
  ${exitCodes.passed}  every check passed
  ${exitCodes.failed}  at least one check failed
  ${exitCodes.usage}  the command line is not usable
  ${exitCodes.cannotTell}  no check failed, but some cannot be told (${exitCodes.passed} with --allow-cannot-tell)`;

function addTargetOptions(command: Command): void {
  command
    .option(
      '--host <host>',
      'required: the host of the API, such as api.example.com; http:// only for this machine',
    )
    .option('--client-id <id>', 'required: the client_id of an app')
    .option('--client-secret-file <file>', 'a file with its client_secret')
    .option('--package-name <name>', 'its package name (default: the client id)')
    .option('--ca <file>', "certificates (PEM) to trust in place of the machine's")
    .option(
      '--unconsumed-purchase <ids...>',
      'one-time purchases that are not consumed: one to read, a second for a race',
    )
    .option('--product-id <id>', 'the product of the first of them')
    .option('--consumed-purchase <id>', 'a consumed purchase')
    .option('--voided-purchase <id>', 'a voided one-time purchase')
    .option('--subscription <id>', 'the first purchase id of a subscription with active auto-payment')
    .option('--other-package <name>', 'the package name of another app')
    .option('--other-purchase <id>', 'a one-time purchase of that app, not consumed')
    .option('--expired-token-file <file>', 'a file with an access token of the app that has expired')
    .option('--other-environment-token-file <file>', 'a file with an access token of the other environment');
}

function addRunOptions(command: Command): void {
  const seconds = (ms: number) => String(ms / msPerSecond);
  command
    .option(
      '--sandbox',
      'the server is an OpenTill sandbox: make purchases of its own there, and look at those',
    )
    .option('--allow-changes', 'consume the unconsumed purchases, cancel and reactivate the subscription')
    .option('--only <names...>', 'only these checks (token-03) and groups of checks (token)')
    .option('--call-timeout <seconds>', 'for one call', seconds(callTimeoutMsDefault))
    .option(
      '--run-timeout <seconds>',
      `for all calls, at most ${seconds(runTimeoutMsMax)}`,
      seconds(runTimeoutMsDefault),
    )
    .option('--json', 'print the report as JSON')
    .option('--junit <file>', 'write the report as JUnit XML, too')
    .option(
      '--allow-cannot-tell',
      `exit with ${exitCodes.passed} where no check failed, even if some cannot be told`,
    );
}

async function runCommand(flags: Flags, surroundings: CommandSurroundings): Promise<number> {
  const target = await targetOf(flags, surroundings);
  const callTimeoutMs = msOf('--call-timeout', flags.callTimeout);
  const runTimeoutMs = msOf('--run-timeout', flags.runTimeout);
  const { runConformance, selectChecks } = await import('./run-conformance.ts');
  const selection = selectChecks(flags.only);
  if ('unknown' in selection) {
    throw new UsageProblem(`--only: there is no check and no group ${selection.unknown.join(', ')}.`);
  }
  const report = await runConformance(target, {
    usesSandbox: flags.sandbox === true,
    allowsChanges: flags.allowChanges === true,
    callTimeoutMs,
    runTimeoutMs,
    ...(flags.only !== undefined && { only: flags.only }),
    ...(surroundings.signal !== undefined && { signal: surroundings.signal }),
  });
  await writeReport(report, flags, surroundings);
  const { fail, cannotTell } = report.counts;
  if (fail > 0) return exitCodes.failed;
  return cannotTell > 0 && flags.allowCannotTell !== true ? exitCodes.cannotTell : exitCodes.passed;
}

async function targetOf(flags: Flags, { env }: CommandSurroundings): Promise<ConformanceTarget> {
  const { clientId, clientSecretFile, otherPackage, otherPurchase, unconsumedPurchase } = flags;
  if (flags.host === undefined || clientId === undefined) {
    throw new UsageProblem('--host and --client-id: expected both.');
  }
  const host = parseOrigin(flags.host);
  if ('problem' in host) throw new UsageProblem(`--host: ${host.problem}`);
  const clientSecret = clientSecretFile === undefined ? env[secretVariable] : await textOf(clientSecretFile);
  if (!clientSecret) {
    throw new UsageProblem(`There is no client secret: expected ${secretVariable} or --client-secret-file.`);
  }
  if ((otherPackage === undefined) !== (otherPurchase === undefined)) {
    throw new UsageProblem('--other-package and --other-purchase: expected both or neither.');
  }
  if (flags.productId !== undefined && unconsumedPurchase === undefined) {
    throw new UsageProblem('--product-id: expected with --unconsumed-purchase.');
  }
  return {
    origin: host.origin,
    clientId,
    clientSecret,
    packageName: flags.packageName ?? clientId,
    ca: await textOf(flags.ca),
    known: {
      unconsumedPurchases: unconsumedPurchase,
      productId: flags.productId,
      consumedPurchase: flags.consumedPurchase,
      voidedPurchase: flags.voidedPurchase,
      subscription: flags.subscription,
      otherApp:
        otherPackage !== undefined && otherPurchase !== undefined
          ? { packageName: otherPackage, purchaseId: otherPurchase }
          : undefined,
      expiredToken: await textOf(flags.expiredTokenFile),
      otherEnvironmentToken: await textOf(flags.otherEnvironmentTokenFile),
    },
  };
}

/** The text of a file without the line feed at its end. */
async function textOf(file: string): Promise<string>;
async function textOf(file: string | undefined): Promise<string | undefined>;
async function textOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new UsageProblem(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

function msOf(flag: string, seconds: string): number {
  const ms = Number(seconds) * msPerSecond;
  if (ms >= 1 && ms <= runTimeoutMsMax) return ms;
  const max = runTimeoutMsMax / msPerSecond;
  throw new UsageProblem(`${flag}: expected seconds, more than 0 and at most ${max}, got "${seconds}".`);
}

async function writeReport(
  report: ConformanceReport,
  { json, junit }: Flags,
  { write, colours }: CommandSurroundings,
): Promise<void> {
  const [{ textReport }, { junitReport }] = await Promise.all([
    import('./report/text.ts'),
    import('./report/junit.ts'),
  ]);
  write(json === true ? `${JSON.stringify(report, undefined, 2)}\n` : textReport(report, { colours }));
  if (junit === undefined) return;
  await writeFile(junit, junitReport(report)).catch((error: Error) => {
    throw new UsageProblem(`${junit} cannot be written: ${error.message}.`);
  });
}
