// Which file may import which: layers from left to right, features side by side, no cycles.

'use strict';

// The visitor that walks the syntax tree does not know `using` declarations.
const { Visitor } = require('@swc/core/Visitor.js');
const { visitStatement } = Visitor.prototype;
Visitor.prototype.visitStatement = function visitKnownStatement(statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
  return { ...statement, decls: this.visitVariableDeclarators(statement.decls) };
};

const server = 'packages/server/src';

/** From the innermost to the outermost; a file imports only from its own layer and from those before it. */
const layers = ['domain', 'store', 'charging', 'operations', 'jobs', 'http'];

/** Folders that put the layers together. */
const outer = ['embedded', 'config', 'program'];

const layerRules = layers.map((layer, index) => ({
  name: `server-${layer}`,
  comment: `${layer}/ imports only from its own layer and those before it (docs/architecture.md).`,
  severity: 'error',
  from: { path: `^${server}/${layer}/` },
  to: { path: `^${server}/(?:${[...layers.slice(index + 1), ...outer].join('|')})/` },
}));

/** The features of operations/ on which others build, in order; the rest are independent. */
const sharedFeatures = ['audit', 'clocks', 'events', 'purchases', 'subscriptions'];

const featureRules = [...sharedFeatures, '[^/]+'].map((feature, index) => ({
  name: `operations-${sharedFeatures[index] ?? 'feature'}`,
  comment: 'A feature of operations/ imports only from itself and from shared features before it.',
  severity: 'error',
  from: { path: `^${server}/operations/(${feature})/` },
  to: {
    path: `^${server}/operations/[^/]+/`,
    pathNot: `^${server}/operations/(?:${['$1', ...sharedFeatures.slice(0, index)].join('|')})/`,
  },
}));

/** The module that a build replaces by its values. */
const writtenOut = '^packages/client/src/operation-calls\\.ts$';

const browser = 'packages/console/src';

/** In the console, from the innermost folder to the outermost. */
const consoleFolders = ['runtime', 'api', '(?:values|filters|parts)', 'pictures', 'pages', 'app'];

const consoleRules = consoleFolders.slice(0, -1).map((folder, index) => ({
  name: `console-${folder}`,
  comment: `${folder}/ imports only from its own folder and those before it (docs/architecture.md).`,
  severity: 'error',
  from: { path: `^${browser}/${folder}/` },
  to: { path: `^${browser}/(?:${consoleFolders.slice(index + 1).join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    ...featureRules,
    {
      name: 'operations-side-by-side',
      comment:
        'An operation, whose file has its operationId, uses no other operation: what they share has its own file.',
      severity: 'error',
      from: { path: `^${server}/operations/` },
      to: { path: `^${server}/operations/[^/]+/(?:[a-z]+[A-Z]\\w*|redeliver|reset|search)\\.ts$` },
    },
    ...consoleRules,
    {
      name: 'console-is-a-client',
      comment:
        'The console calls the operator API: of other packages it uses the client, and tables of the contract without schemas.',
      severity: 'error',
      from: { path: `^${browser}/` },
      to: {
        path: '^packages/',
        pathNot: `^${browser}/|^packages/client/src/|^packages/contract/src/(?:limits|attention-kinds|currency-digits|open-month|partial-statistics|pasted-text)\\.ts$`,
      },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '/src/' },
      to: { circular: true },
    },
    {
      name: 'resolvable',
      severity: 'error',
      // Its programs have packages of their own.
      from: { pathNot: '^test/interop/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'domain-is-pure',
      comment: 'Rules on values: no I/O, no clock, no randomness, no machinery of the process.',
      severity: 'error',
      from: { path: `^${server}/domain/` },
      to: { path: `^${server}/runtime/` },
    },
    {
      name: 'domain-uses-no-io',
      severity: 'error',
      from: { path: `^${server}/domain/` },
      to: { dependencyTypes: ['core'], pathNot: '^(?:crypto|net|buffer|url|util)$' },
    },
    {
      name: 'runtime-stands-alone',
      severity: 'error',
      from: { path: `^${server}/runtime/` },
      to: { path: '^packages/', pathNot: `^${server}/runtime/` },
    },
    {
      name: 'embedded-knows-only-runtime',
      severity: 'error',
      from: { path: `^${server}/embedded/` },
      to: { path: '^packages/', pathNot: `^${server}/(?:runtime|embedded)/` },
    },
    {
      name: 'config-knows-no-work',
      comment: 'The settings are read before anything runs.',
      severity: 'error',
      from: { path: `^${server}/config/` },
      to: {
        path: `^${server}/`,
        pathNot: `^${server}/(?:config|domain|runtime)/|^${server}/embedded/postgres-settings\\.ts$`,
      },
    },
    {
      name: 'contract-is-data',
      severity: 'error',
      from: { path: '^packages/contract/src/' },
      to: { pathNot: '^packages/contract/src/|^node_modules/typebox/' },
    },
    {
      name: 'client-has-no-dependencies',
      comment:
        'The client runs wherever fetch exists: types of the contract, and nothing else. The values of operation-calls.ts are written out.',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: writtenOut },
      to: { pathNot: '^packages/client/src/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'command-line-enters-by-one-door',
      comment: 'One file of the server lists what the command line may use.',
      severity: 'error',
      from: { path: '^packages/cli/src/' },
      to: { path: `^${server}/`, pathNot: `^${server}/program/for-command-line\\.ts$` },
    },
    {
      name: 'conformance-knows-no-server',
      severity: 'error',
      from: { path: '^packages/conformance/src/' },
      to: { path: '^packages/(?:server|client|cli)/' },
    },
    {
      name: 'server-knows-no-outer-package',
      severity: 'error',
      from: { path: `^${server}/` },
      to: { path: '^packages/(?:conformance|cli)/' },
    },
    {
      name: 'no-tests-in-sources',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { path: '/(?:test|bench)/|^bench/' },
    },
    {
      name: 'tests-share-only-support',
      comment: 'What tests of several packages use is in test/support/, which imports no tests of a package.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/test/' },
      to: { path: '^packages/[^/]+/test/', pathNot: '^packages/$1/test/' },
    },
    {
      name: 'tests-belong-to-their-package',
      comment: 'Only its own tests import from the tests of a package.',
      severity: 'error',
      from: { pathNot: '^packages/[^/]+/test/' },
      to: { path: '^packages/[^/]+/test/' },
    },
    {
      name: 'sources-declare-their-dependencies',
      severity: 'error',
      // The console is built: its package contains no imports.
      from: { path: '^packages/(?!console/)[^/]+/src/', pathNot: writtenOut },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    parser: 'swc',
    detectProcessBuiltinModuleCalls: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(?:^|/)dist/' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.cjs', '.js', '.json'],
    },
  },
};
