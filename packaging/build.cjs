// npm run build, also after npm ci: rejects a Node.js that is too old with one line, and builds the console and the reference.

'use strict';

var launch = require('../packages/server/bin/launch.cjs');

if (!launch.refusesThisNode()) void import('../packages/console/bin/build.ts');
