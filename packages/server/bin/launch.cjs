// How a program of ours begins: it says in one line when this Node.js is too old for it, and begins once more with
// the heap flags of a server. Written so that any Node.js can read it.

'use strict';

var nodeMajorMin = Number(/\d+/.exec(require('../package.json').engines.node)[0]);

// Most garbage of a call lives for a millisecond: a small young generation, which has its size from the start, and an
// old one that grows by little at a time keep the server under 200 MB (docs/decisions/performance.md).
var heapFlags = ['--min-semi-space-size=8', '--max-semi-space-size=8', '--heap-growing-percent=30'];

/** Whether this Node.js is too old; then that was said. */
function refusesThisNode() {
  if (Number(process.versions.node.split('.')[0]) >= nodeMajorMin) return false;
  console.error(
    'OpenTill needs Node.js ' +
      nodeMajorMin +
      ' or later, and this is ' +
      process.version +
      ': in a checkout run it with "npm start" or "npx opentill" after "npm ci", which brings its own.',
  );
  process.exitCode = 1;
  return true;
}

/**
 * Begins the program `file` once more, in its own place, with the flags: they count only when a process begins.
 * Returns where it has begun with them, or where the system cannot do that.
 */
function takeHeapFlags(file) {
  var canBeginAgain =
    process.platform !== 'win32' && typeof process.execve === 'function' && !process.connected;
  if (!canBeginAgain || process.execArgv.includes(heapFlags[0])) return;
  process.execve(process.execPath, [
    process.execPath,
    ...process.execArgv,
    ...heapFlags,
    file,
    ...process.argv.slice(2),
  ]);
}

exports.refusesThisNode = refusesThisNode;
exports.takeHeapFlags = takeHeapFlags;
