// Prepares the process of a program: rejects a Node.js that is too old with one line, and restarts the program with the
// heap flags of a server. Written in a syntax that every Node.js can parse.

'use strict';

var nodeMajorMin = Number(/\d+/.exec(require('../package.json').engines.node)[0]);

// Most objects of a call live for a millisecond: a small young generation of fixed size, and an old one that grows in
// small steps, keep the server under 200 MB (docs/decisions/performance.md).
var heapFlags = ['--min-semi-space-size=8', '--max-semi-space-size=8', '--heap-growing-percent=30'];

/** Returns true, and prints why, if this Node.js is too old. */
function refusesThisNode() {
  if (Number(process.versions.node.split('.')[0]) >= nodeMajorMin) return false;
  console.error(
    'OpenTill needs Node.js ' +
      nodeMajorMin +
      ' or later, and this is ' +
      process.version +
      ': install a later one, or in a checkout use "npm start" or "npx opentill" after "npm ci", which brings its own.',
  );
  process.exitCode = 1;
  return true;
}

/**
 * Replaces this process by one that runs `file` with the heap flags, which only apply at the start of a process. Returns
 * if they are set already, or if the system cannot replace a process.
 */
function applyHeapFlags(file) {
  var canReplaceProcess =
    process.platform !== 'win32' && typeof process.execve === 'function' && !process.connected;
  if (!canReplaceProcess || process.execArgv.includes(heapFlags[0])) return;
  process.execve(process.execPath, [
    process.execPath,
    ...process.execArgv,
    ...heapFlags,
    file,
    ...process.argv.slice(2),
  ]);
}

exports.refusesThisNode = refusesThisNode;
exports.applyHeapFlags = applyHeapFlags;
