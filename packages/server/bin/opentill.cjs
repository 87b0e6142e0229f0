#!/usr/bin/env node
// Starts the server, or says in one line that this Node.js is too old for it. Written so that any Node.js can
// read it.

'use strict';

var nodeMajorMin = 24;
var nodeMajor = Number(process.versions.node.split('.')[0]);

if (nodeMajor < nodeMajorMin) {
  console.error(
    'OpenTill needs Node.js ' +
      nodeMajorMin +
      ' or later, and this is ' +
      process.version +
      ': in a checkout run it with "npm start" after "npm ci", which brings its own.',
  );
  process.exitCode = 1;
} else {
  // A later start then finds the code compiled and the types stripped.
  require('node:module').enableCompileCache();
  void import('../src/main.ts').then((start) => start.main(process.argv.slice(2), process.env));
}
