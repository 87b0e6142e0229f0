// What must not stand in a file: calls that only one place may make, marks of unfinished work, tests that do
// not test, and words about anything but the project itself.

import type { SourceFile } from './layers.ts';
import { onlyParts, type Part } from './source-text.ts';

interface Ban {
  readonly what: string;
  readonly pattern: RegExp;
  /** Where the pattern is looked for. */
  readonly in: readonly Part[];
  readonly files: RegExp;
  /** Files that may. */
  readonly except?: RegExp;
}

const sources = /^packages\/[^/]+\/src\/.*\.ts$/;
const tests = /(?:^|\/)test\/.*\.ts$/;
const anything = /./;
const runtime = /^packages\/(?:(?:server|conformance)\/src\/runtime\/|client\/src\/timing\.ts$)/;
const thisFile = /^test\/tidy/;
const code = ['code'] as const;
const all = ['code', 'comment', 'string'] as const;

export const bans: readonly Ban[] = [
  { what: 'Date.now', pattern: /\bDate\.now\b/, in: code, files: sources, except: runtime },
  { what: 'new Date()', pattern: /\bnew Date\(\s*\)|\bDate\(\)/, in: code, files: sources, except: runtime },
  { what: 'Math.random', pattern: /\bMath\.random\b/, in: code, files: /\.ts$/, except: runtime },
  {
    what: 'randomness',
    pattern: /\b(?:randomBytes|randomInt|randomUUID|randomFill(?:Sync)?|getRandomValues)\b/,
    in: code,
    files: sources,
    except: runtime,
  },
  {
    what: 'a timer',
    pattern: /\b(?:setTimeout|setInterval)\b|\btimers\/promises\b/,
    in: ['code', 'string'],
    files: sources,
    except: runtime,
  },
  {
    what: 'process.env',
    pattern: /\bprocess\.env\b/,
    in: code,
    files: sources,
    except: /^packages\/server\/src\/(?:runtime\/|config\.ts$)/,
  },
  {
    what: 'a clock or randomness in SQL',
    pattern:
      /(?<![\w.])(?:now|random|gen_random_uuid|clock_timestamp|statement_timestamp)\(\)|\bcurrent_(?:timestamp|date|time)\b/i,
    in: ['string'],
    files: /^packages\/server\/src\/store\/.*\.ts$/,
    // The clock itself is asked for there, to hold it against this machine's.
    except: /\/clock-difference\.ts$/,
  },
  {
    what: 'a clock or randomness in a migration',
    pattern: /\b(?:now|random|gen_random_uuid)\(\)|\bcurrent_(?:timestamp|date|time)\b/i,
    in: all,
    files: /\.sql$/,
  },
  {
    what: 'an identity column or a sequence',
    pattern: /\bserial\b|\bidentity\b|\bsequence\b/i,
    in: all,
    files: /\.sql$/,
  },
  {
    what: 'a sleep',
    pattern: /(?<!\.)\b(?:setTimeout|setInterval|sleep)\(|\btimers\/promises\b|\bAtomics\.wait\b/,
    in: ['code', 'string'],
    files: tests,
    except: thisFile,
  },
  {
    what: 'a pause outside a wait for a condition',
    pattern: /\bpause\(/,
    in: code,
    files: tests,
    except: /\/wait-for\.ts$/,
  },
  { what: 'a mock of a module', pattern: /\bvi\.(?:mock|doMock|hoisted)\b/, in: code, files: tests },
  {
    what: 'a test that does not run',
    pattern:
      /\b(?:test|it|describe|suite)(?:\.\w+)*\.(?:skip|only|todo|fails|skipIf|runIf)\b|\b(?:xit|xtest|xdescribe)\(/,
    in: code,
    files: tests,
  },
  {
    what: 'a mark of unfinished work',
    pattern: /\b(?:TODO|FIXME|XXX|HACK)\b/,
    in: all,
    files: anything,
    except: thisFile,
  },
  {
    what: 'history in a comment',
    pattern: /\bno longer\b(?! than)|\banymore\b/,
    in: ['comment'],
    files: /\.(?:ts|cjs)$/,
  },
  {
    what: 'a document outside the project',
    pattern: /(?<![\w-])(?:spec|design)\.md\b/i,
    in: all,
    files: /\.(?:[cm]?[jt]s|md|sql|json|sh)$|^\.ci\//,
    except: thisFile,
  },
  {
    what: 'something outside the project',
    pattern: /(?<![\w.])\/work\/|\bshared\/|\bissue #?\d|(?<![\w&/])#\d+\b/i,
    in: all,
    files: /\.(?:ts|cjs|md|sql|json|sh)$|^\.ci\//,
    except: thisFile,
  },
];

/** Each place of a file where something stands that must not. */
export function wordingProblems({ path, text }: SourceFile): string[] {
  const isScript = /\.[cm]?[jt]s$/.test(path);
  return bans.flatMap((ban) => {
    if (!ban.files.test(path) || ban.except?.test(path)) return [];
    const looked = isScript ? onlyParts(text, ban.in) : text;
    return looked
      .split('\n')
      .flatMap((line, index) => (ban.pattern.test(line) ? [`${path}:${index + 1}: ${ban.what}`] : []));
  });
}
