#!/usr/bin/env node
// The command line of OpenTill. Written so that any Node.js can read it.

'use strict';

var launch = require('@opentill/server/bin/launch.cjs');

if (!launch.refusesThisNode()) {
  // Later starts load compiled code with the types already stripped.
  require('node:module').enableCompileCache();
  void import('../src/main.ts').then((start) => start.main(process));
}
