#!/usr/bin/env node
// Runs the command `conformance` on its own, without the rest of the command line.

import { Command } from 'commander';
import { addConformanceCommand, exitCodes } from '../src/command.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

const program = new Command('opentill').exitOverride(({ exitCode }) => {
  process.exit(exitCode === exitCodes.passed ? exitCodes.passed : exitCodes.usage);
});
addConformanceCommand(program, {
  env: process.env,
  write: (text) => process.stdout.write(text),
  colours: process.stdout.isTTY && process.stdout.hasColors(),
  setExitCode: (code) => {
    process.exitCode = code;
  },
  signal: stop.signal,
});
await program.parseAsync(['conformance', ...process.argv.slice(2)], { from: 'user' });
