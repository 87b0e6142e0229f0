// The command `conformance`. It loads the checks only when it runs, so that other commands start fast.

import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { callTimeoutMsDefault, runTimeoutMsDefault, runTimeoutMsMax } from './limits.ts';
import type { ConformanceReport } from './report/report.ts';
import { type ConformanceTarget, parseOrigin } from './target.ts';

/** The environment of the command. */
interface CommandSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to standard output. */
  readonly write: (text: string) => void;
  /** Whether standard output is a terminal with colors. */
  readonly colours: boolean;
  readonly setExitCode: (code: number) => void;
  /** Ends the run early, with a report. */
  readonly signal?: AbortSignal;
}

export const exitCodes = { passed: 0, failed: 1, usage: 2, cannotTell: 3 } as const;

/** The environment variable with the client secret, unless it is in a file. */
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

/** An invalid command line: one line, and the exit code for usage errors. */
class UsageProblem extends Error {}

/** Adds the command to a program, whose `exitOverride` sets the exit code of errors that commander detects. */
export function addConformanceCommand(program: Command, surroundings: CommandSurroundings): void {
  const command = program
    .command('conformance')
    .summary('check a server against the specification of the purchase API')
    .description(
      'Checks any server of the purchase API against the specification. The options describe test data on the server; a check without the data that it needs is reported as "cannot tell", with the reason.',
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
      // Both commands have the option, and commander assigns it to the first one.
      const { json } = list.optsWithGlobals<Flags>();
      surroundings.write(json === true ? `${JSON.stringify(listOfChecks, undefined, 2)}\n` : textOfChecks());
    });
}

const helpAfter = `
Environment:
  ${secretVariable}  the client secret, unless --client-secret-file is used; no
                             option takes a secret, because other accounts can see arguments

Exit codes:
  ${exitCodes.passed}  every check passed
  ${exitCodes.failed}  at least one check failed
  ${exitCodes.usage}  invalid command line
  ${exitCodes.cannotTell}  no check failed, but some could not be decided (${exitCodes.passed} with --allow-cannot-tell)`;

function addTargetOptions(command: Command): void {
  command
    .option(
      '--host <host>',
      'required: host of the API, such as api.example.com; http:// only for this machine',
    )
    .option('--client-id <id>', 'required: the client_id of an app')
    .option('--client-secret-file <file>', 'a file with its client_secret')
    .option('--package-name <name>', 'its package name (default: the client id)')
    .option('--ca <file>', 'file of PEM certificates to trust instead of those of the machine')
    .option(
      '--unconsumed-purchase <ids...>',
      'unconsumed one-time purchases: one to read, a second one for concurrent consumption',
    )
    .option('--product-id <id>', 'the product of the first unconsumed purchase')
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
    .option('--sandbox', 'the server is an OpenTill sandbox: create the test data there')
    .option('--allow-changes', 'consume the unconsumed purchases, cancel and reactivate the subscription')
    .option('--only <names...>', 'run only these checks (token-03) and groups (token)')
    .option('--call-timeout <seconds>', 'timeout of one call', seconds(callTimeoutMsDefault))
    .option(
      '--run-timeout <seconds>',
      `timeout of the whole run, at most ${seconds(runTimeoutMsMax)}`,
      seconds(runTimeoutMsDefault),
    )
    .option('--json', 'print the report as JSON')
    .option('--junit <file>', 'also write the report as JUnit XML')
    .option(
      '--allow-cannot-tell',
      `exit with ${exitCodes.passed} if no check failed, even if some could not be decided`,
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

/** Reads a file without surrounding whitespace. */
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
