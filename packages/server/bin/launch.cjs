// Rejects a Node.js that is too old with one line. Written in a syntax that every Node.js can parse.

'use strict';

var nodeMajorMin = Number(/\d+/.exec(require('../package.json').engines.node)[0]);

/** Returns undefined unless this Node.js is too old. */
function problemOfThisNode() {
  if (Number(process.versions.node.split('.')[0]) >= nodeMajorMin) return undefined;
  return (
    'OpenTill needs Node.js ' +
    nodeMajorMin +
    ' or later, and this is ' +
    process.version +
    ': install a later one, or in a checkout use "npm start" or "npx opentill" after "npm ci", which brings its own.'
  );
}

/** Returns true, and prints why, if this Node.js is too old. */
function refusesThisNode() {
  var problem = problemOfThisNode();
  if (problem === undefined) return false;
  console.error(problem);
  process.exitCode = 1;
  return true;
}

exports.problemOfThisNode = problemOfThisNode;
exports.refusesThisNode = refusesThisNode;
