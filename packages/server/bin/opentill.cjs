#!/usr/bin/env node
// Starts the server and nothing else; packages/cli is the command line. Written in a syntax that every Node.js can parse.

'use strict';

var launch = require('./launch.cjs');

if (!launch.refusesThisNode()) {
  // Later starts load compiled code with the types already stripped.
  require('node:module').enableCompileCache();
  void import('../src/program/main.ts').then((start) => start.main(process.argv.slice(2), process.env));
}
