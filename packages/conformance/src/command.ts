// The command `conformance`. It loads the checks only when it runs, so that other commands start fast.

import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { callTimeoutMsDefault, runTimeoutMsDefault, runTimeoutMsMax } from './limits.ts';
import type { Operator } from './sandbox.ts';
import { type ConformanceTarget, type KnownRecords, parseOrigin } from './target.ts';

/** The environment of the command. */
interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to standard output. */
  readonly write: (text: string) => void;
  /** Whether standard output is a terminal with colors. */
  readonly colours: boolean;
  readonly setExitCode: (code: number) => void;
  /** Ends the run early, with a report. */
  readonly signal?: AbortSignal;
}

export const exitCodes = { passed: 0, failed: 1, usage: 2, inconclusive: 3 } as const;

/** The environment variable with the client secret, unless it is in a file. */
export const secretVariable = 'CONFORMANCE_CLIENT_SECRET';

const msPerSecond = 1_000;

/** A rate that a store does not notice; at most that of a test of load. */
const rateDefault = 20;
const rateMax = 1_000;

interface Flags extends KnownRecords {
  readonly host?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly packageName?: string;
  readonly ca?: string;
  readonly sandbox?: true;
  readonly operatorUrl?: string;
  readonly operatorKeyFile?: string;
  readonly allowChanges?: true;
  readonly expiredTokenFile?: string;
  readonly otherEnvironmentTokenFile?: string;
  readonly only?: readonly string[];
  readonly callTimeout: string;
  readonly runTimeout: string;
  readonly json?: true;
  readonly junit?: string;
  readonly allowInconclusive?: true;
  readonly compare?: readonly string[];
  readonly ids?: string;
  readonly newClientSecretFile?: string;
  readonly rate: string;
}

/** Ends the command with one line about an invalid command line. */
type Refuse = (problem: string) => never;

const helpAfter = `
Environment:
  ${secretVariable}  the client secret, unless --client-secret-file is used; no
                             option takes a secret, because other accounts can see arguments

Exit codes:
  ${exitCodes.passed}  every check passed
  ${exitCodes.failed}  at least one check failed, or none passed
  ${exitCodes.usage}  invalid command line
  ${exitCodes.inconclusive}  no check failed, but some are inconclusive`;

/** Adds the command to a program, whose `exitOverride` sets the exit code of errors that commander detects. */
export function addConformanceCommand(program: Command, context: CommandContext): void {
  const seconds = (ms: number) => String(ms / msPerSecond);
  const command = program
    .command('conformance')
    .summary('check a server against the specification of the purchase API')
    .description(
      'Checks any server of the purchase API against the specification. The options describe test data on the server; a check without the data that it needs is reported as inconclusive, with the reason.',
    )
    .option('--host <host>', 'required: host of the API, or http:// and a host for a server on this machine')
    .option('--client-id <id>', 'required: the client_id of an app')
    .option('--client-secret-file <file>', 'a file with its client_secret')
    .option('--package-name <name>', 'its package name (default: the client id)')
    .option('--ca <file>', 'file of PEM certificates to trust instead of those of the machine')
    .option(
      '--unconsumed-purchase <ids...>',
      'unconsumed one-time purchases: one to read and consume, one to consume by concurrent calls',
    )
    .option('--product-id <id>', 'the product of the first unconsumed purchase')
    .option('--consumed-purchase <id>', 'a consumed purchase')
    .option('--voided-purchase <id>', 'a voided one-time purchase, ideally of the last month')
    .option('--subscription <id>', 'the first purchase id of a subscription with active auto-payment')
    .option('--other-package <name>', 'the package name of another app')
    .option('--other-purchase <id>', 'a one-time purchase of that app, not consumed')
    .option('--expired-token-file <file>', 'a file with an access token of the app that has expired')
    .option('--other-environment-token-file <file>', 'a file with an access token of the other environment')
    .option('--sandbox', 'the server is an OpenTill sandbox: create the test data there')
    .option('--operator-url <url>', 'its operator listener, to create a second app with a purchase')
    .option('--operator-key-file <file>', 'a file with an operator key for that')
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
      '--allow-inconclusive',
      `exit with ${exitCodes.passed} instead of ${exitCodes.inconclusive} if some checks are inconclusive`,
    )
    .addHelpText('after', helpAfter)
    .action(async (flags: Flags) => {
      const refuse: Refuse = (problem) => command.error(`error: ${problem}`, { exitCode: exitCodes.usage });
      const run = flags.compare === undefined ? runCommand : runComparison;
      context.setExitCode(await run(flags, context, refuse));
    });
  addComparison(command);
  command
    .command('list')
    .description('list the checks, each with the section of the specification that it follows')
    .option('--json', 'print JSON')
    .action(async (_flags: Flags, list: Command) => {
      const { listOfChecks, textOfChecks } = await import('./report/list.ts');
      // Both commands have the option, and commander assigns it to the first one.
      const { json } = list.optsWithGlobals<Flags>();
      context.write(json === true ? `${JSON.stringify(listOfChecks, undefined, 2)}\n` : textOfChecks());
    });
}

function addComparison(command: Command): void {
  command
    .option('--compare <hosts...>', 'instead of the checks: compare purchases at an old and a new host')
    .option('--ids <file>', 'with --compare: a file with a purchase id per line')
    .option(
      '--new-client-secret-file <file>',
      'with --compare: the client_secret at the new host, if another',
    )
    .option('--rate <number>', 'with --compare: calls per second to each host', String(rateDefault));
}

async function runCommand(
  flags: Flags,
  { env, write, colours, signal }: CommandContext,
  refuse: Refuse,
): Promise<number> {
  const target = await targetOf(flags, env, refuse);
  const callTimeoutMs = msOf('--call-timeout', flags.callTimeout, refuse);
  const runTimeoutMs = msOf('--run-timeout', flags.runTimeout, refuse);
  const { runConformance } = await import('./run-conformance.ts');
  const report = await runConformance(target, {
    usesSandbox: flags.sandbox === true,
    operator: await operatorOf(flags, refuse),
    allowsChanges: flags.allowChanges === true,
    callTimeoutMs,
    runTimeoutMs,
    only: flags.only,
    signal,
  }).catch((error: unknown) => {
    if (error instanceof RangeError) refuse(`--${error.message}`);
    throw error;
  });
  const { textReport } = await import('./report/text.ts');
  write(flags.json ? `${JSON.stringify(report, undefined, 2)}\n` : textReport(report, { colours }));
  if (flags.junit !== undefined) {
    const { junitReport } = await import('./report/junit.ts');
    await writeFile(flags.junit, junitReport(report)).catch((error: Error) =>
      refuse(`${flags.junit} cannot be written: ${error.message}.`),
    );
  }
  const { pass, fail, inconclusive } = report.counts;
  if (fail > 0 || pass === 0) return exitCodes.failed;
  return inconclusive === 0 || flags.allowInconclusive === true ? exitCodes.passed : exitCodes.inconclusive;
}

async function runComparison(flags: Flags, context: CommandContext, refuse: Refuse): Promise<number> {
  const { compare = [], ids, newClientSecretFile } = flags;
  const [oldHost, newHost, ...others] = compare;
  if (newHost === undefined || others.length > 0 || ids === undefined) {
    return refuse('--compare: expected an old and a new host, with --ids.');
  }
  const rate = Number(flags.rate);
  if (!(rate > 0 && rate <= rateMax))
    refuse(`--rate: expected calls per second, at most ${rateMax}, got "${flags.rate}".`);
  const secret = newClientSecretFile ?? flags.clientSecretFile;
  const newFlags = { ...flags, host: newHost, ...(secret !== undefined && { clientSecretFile: secret }) };
  const targets = [
    await targetOf({ ...flags, host: oldHost ?? '' }, context.env, refuse),
    await targetOf(newFlags, context.env, refuse),
  ];
  const purchaseIds = (await textOf(ids, refuse)).split(/\s+/);
  const callTimeoutMs = msOf('--call-timeout', flags.callTimeout, refuse);
  const { comparePurchases, comparedText } = await import('./compare.ts');
  const { Inconclusive, NoResponse } = await import('./verdict.ts');
  const write = (value: object, text: string) =>
    context.write(`${flags.json === true ? JSON.stringify(value) : text}\n`);
  const counts = await comparePurchases({
    ...{ targets, purchaseIds, rate, callTimeoutMs },
    signal: context.signal ?? new AbortController().signal,
    onResult: (result) => write(result, comparedText(result)),
  }).catch((error: unknown) => {
    if (!(error instanceof Inconclusive || error instanceof NoResponse)) throw error;
    write({ because: error.message }, error.message);
    return undefined;
  });
  if (counts === undefined) return exitCodes.failed;
  const { equal, different, inconclusive } = counts;
  write(counts, `${equal} equal, ${different} different, ${inconclusive} not compared`);
  if (different > 0) return exitCodes.failed;
  return inconclusive === 0 ? exitCodes.passed : exitCodes.inconclusive;
}

/** @throws through `refuse`, if it cannot be read */
async function textOf(file: string, refuse: Refuse): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: Error) =>
    refuse(`${file} cannot be read: ${error.message}.`),
  );
  return text.trim();
}

async function operatorOf(
  { sandbox, operatorUrl, operatorKeyFile }: Flags,
  refuse: Refuse,
): Promise<Operator | undefined> {
  if (operatorUrl === undefined && operatorKeyFile === undefined) return undefined;
  if (sandbox !== true || operatorUrl === undefined || operatorKeyFile === undefined) {
    return refuse('--operator-url and --operator-key-file: expected both, with --sandbox, or neither.');
  }
  const parsed = parseOrigin(operatorUrl);
  if ('problem' in parsed) return refuse(`--operator-url: ${parsed.problem}`);
  return { origin: parsed.origin, key: await textOf(operatorKeyFile, refuse) };
}

async function targetOf(
  { host = '', clientId = '', clientSecretFile, ...flags }: Flags,
  env: CommandContext['env'],
  refuse: Refuse,
): Promise<ConformanceTarget> {
  const optionalText = async (file: string | undefined) =>
    file === undefined ? undefined : textOf(file, refuse);
  if (host === '' || clientId === '') refuse('--host and --client-id: expected both.');
  const parsed = parseOrigin(host);
  if ('problem' in parsed) return refuse(`--host: ${parsed.problem}`);
  const clientSecret = (await optionalText(clientSecretFile)) ?? env[secretVariable];
  if (!clientSecret) {
    return refuse(`There is no client secret: expected ${secretVariable} or --client-secret-file.`);
  }
  if ((flags.otherPackage === undefined) !== (flags.otherPurchase === undefined)) {
    refuse('--other-package and --other-purchase: expected both or neither.');
  }
  if (flags.productId !== undefined && flags.unconsumedPurchase === undefined) {
    refuse('--product-id: expected with --unconsumed-purchase.');
  }
  return {
    origin: parsed.origin,
    clientId,
    clientSecret,
    packageName: flags.packageName ?? clientId,
    ca: await optionalText(flags.ca),
    known: {
      ...flags,
      expiredToken: await optionalText(flags.expiredTokenFile),
      otherEnvironmentToken: await optionalText(flags.otherEnvironmentTokenFile),
    },
  };
}

function msOf(flag: string, seconds: string, refuse: Refuse): number {
  const ms = Number(seconds) * msPerSecond;
  if (ms >= 1 && ms <= runTimeoutMsMax) return ms;
  const max = runTimeoutMsMax / msPerSecond;
  return refuse(`${flag}: expected seconds, more than 0 and at most ${max}, got "${seconds}".`);
}
