// The entry of @opentill/server/testing: rejects a Node.js that is too old before it reads any other file.

import launch from './launch.cjs';

const problem = launch.problemOfThisNode();
if (problem !== undefined) throw new Error(problem);

export const { startSandbox } = await import('../src/program/testing.ts');
