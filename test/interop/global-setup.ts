// Reports, after the tests, the programs that this machine cannot run.

import { missingFor, programs } from './programs.ts';

export default function setup(): () => void {
  return () => {
    const missing = programs.filter((program) => missingFor(program) !== undefined);
    for (const program of missing) console.log(`not run: ${program.name}, without ${missingFor(program)}`);
    const ran = programs.length - missing.length;
    console.log(`${ran} of ${programs.length} programs ran (test/interop/install)`);
  };
}
