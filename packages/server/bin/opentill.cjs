#!/usr/bin/env node
// Starts the server, or says in one line that this Node.js is too old for it. Written so that any Node.js can
// read it.

'use strict';

var nodeMajorMin = 24;
var nodeMajor = Number(process.versions.node.split('.')[0]);

// Most garbage of a call lives for a millisecond: a small young generation and an old one that grows by little at
// a time keep the server under 200 MB, and cost no speed that can be measured (docs/decisions/memory.md).
var heapFlags = ['--max-semi-space-size=8', '--heap-growing-percent=30'];

/** These flags count only when a process begins: it begins once more, in its place, where the system can do that. */
function takesHeapFlags() {
  return process.platform !== 'win32' && typeof process.execve === 'function' && !process.connected;
}

if (nodeMajor < nodeMajorMin) {
  console.error(
    'OpenTill needs Node.js ' +
      nodeMajorMin +
      ' or later, and this is ' +
      process.version +
      ': in a checkout run it with "npm start" after "npm ci", which brings its own.',
  );
  process.exitCode = 1;
} else if (takesHeapFlags() && !process.execArgv.includes(heapFlags[0])) {
  process.execve(process.execPath, [
    process.execPath,
    ...process.execArgv,
    ...heapFlags,
    __filename,
    ...process.argv.slice(2),
  ]);
} else {
  // A later start then finds the code compiled and the types stripped.
  require('node:module').enableCompileCache();
  void import('../src/main.ts').then((start) => start.main(process.argv.slice(2), process.env));
}
