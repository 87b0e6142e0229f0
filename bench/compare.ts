// npm run bench:compare <commit>: measures two commits against each other, alternating: each runs as a separate server
// with its own bundled PostgreSQL. A run of the old commit against itself comes first and shows the noise.

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Subject, startSubject } from './compare-subject.ts';
import { median } from './report.ts';

const rounds = 7;
const roundsAgainstItself = 3;
const spreadMax = 0.1;

type Sample = Readonly<Record<string, number>>;

function run(command: string, args: readonly string[], cwd?: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
  return stdout.trim();
}

async function checkOut(commit: string): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), `opentill-${commit.slice(0, 7)}-`));
  run('git', ['worktree', 'add', '--detach', folder, commit]);
  run('npm', ['ci'], folder);
  return {
    folder,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
      run('git', ['worktree', 'prune']);
    },
  };
}

/** Measures both in alternating order, and prints the median of each measure and of its ratios. */
async function compare(before: string, after: string, roundCount: number): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const subjects = [stack.use(await startSubject(before)), stack.use(await startSubject(after))] as const;
  const samples: readonly [Sample[], Sample[]] = [[], []];
  for (let round = 0; round < roundCount; round += 1) {
    process.stderr.write(`round ${round + 1} of ${roundCount}\n`);
    for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      samples[index].push(await subjects[index].measure());
    }
  }
  return printComparison(samples, subjects);
}

async function printComparison(
  [before, after]: readonly [Sample[], Sample[]],
  [left, right]: readonly [Subject, Subject],
): Promise<number> {
  const ratios = Object.keys(before[0] ?? {}).map((name) => {
    const of = (sample: Sample | undefined) => sample?.[name] ?? Number.NaN;
    const ratio = median(after.map((sample, round) => of(sample) / of(before[round])));
    printRow(name, median(before.map(of)).toFixed(1), median(after.map(of)).toFixed(1), ratio.toFixed(2));
    return ratio;
  });
  const [leftMib, rightMib] = [await left.peakMemoryMib(), await right.peakMemoryMib()];
  printRow('largest resident memory, MiB', `${leftMib}`, `${rightMib}`, '');
  printRow('first start, s', left.firstStartSeconds.toFixed(1), right.firstStartSeconds.toFixed(1), '');
  printRow('later start, s', left.laterStartSeconds.toFixed(1), right.laterStartSeconds.toFixed(1), '');
  return Math.max(...ratios.map((ratio) => Math.abs(ratio - 1)));
}

function printRow(name: string, before: string, after: string, ratio: string): void {
  process.stdout.write(`${name.padEnd(40)}${before.padStart(12)}${after.padStart(12)}${ratio.padStart(8)}\n`);
}

async function main(): Promise<void> {
  const [commit] = process.argv.slice(2);
  if (commit === undefined) throw new Error('usage: npm run bench:compare <commit>');
  const [before, after] = [run('git', ['rev-parse', commit]), run('git', ['rev-parse', 'HEAD'])];
  await using beforeCheckout = await checkOut(before);
  await using afterCheckout = await checkOut(after);
  printRow(`A/A: ${before.slice(0, 7)} twice`, 'first', 'second', 'ratio');
  const spread = await compare(beforeCheckout.folder, beforeCheckout.folder, roundsAgainstItself);
  const verdict = spread > spreadMax ? `above ${spreadMax * 100}%: rerun on an idle machine` : 'low enough';
  process.stdout.write(`largest deviation from 1: ${(spread * 100).toFixed(0)}%, ${verdict}\n\n`);
  printRow(`${before.slice(0, 7)} and ${after.slice(0, 7)}`, 'before', 'after', 'ratio');
  await compare(beforeCheckout.folder, afterCheckout.folder, rounds);
}

await main();
