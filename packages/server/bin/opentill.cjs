#!/usr/bin/env node
// Starts the server and nothing else; packages/cli is the command line. Written so that any Node.js can read it.

'use strict';

var launch = require('./launch.cjs');

if (!launch.refusesThisNode()) {
  launch.takeHeapFlags(__filename);
  // A later start then finds the code compiled and the types stripped.
  require('node:module').enableCompileCache();
  void import('../src/main.ts').then((start) => start.main(process.argv.slice(2), process.env));
}
