// npm run release: rejects a Node.js that is too old with one line, and starts release.ts.

'use strict';

var launch = require('../packages/server/bin/launch.cjs');

if (!launch.refusesThisNode()) void import('./release.ts');
