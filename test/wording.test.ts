// Rules on text that neither Biome nor dependency-cruiser can express: on SQL, and on words about other places.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Ban {
  readonly what: string;
  readonly pattern: RegExp;
  readonly files: RegExp;
  readonly except?: RegExp;
  /** A text that breaks the rule, so that a rule which finds nothing is noticed. */
  readonly sample: string;
}

const bans: readonly Ban[] = [
  {
    what: 'SQL of a statement reads no clock and draws no random value',
    pattern: /(?<![\w.])(?:now|random|gen_random_uuid|clock_timestamp|statement_timestamp)\(\)(?! =>)/i,
    files: /^packages\/server\/src\/store\/.*\.ts$/,
    // The store's own clock, and the check of a database whose schema may not exist yet.
    except: /\/(?:store-clock|database-checks)\.ts$/,
    sample: 'select now()',
  },
  {
    what: 'a table has no sequence, because sequences cannot be distributed and have gaps',
    pattern: /\b(?:big)?serial\b|\bidentity\b|\bsequence\b/i,
    files: /\.sql$/,
    sample: 'id bigserial',
  },
  {
    what: 'no work is left unfinished',
    pattern: /\b(?:TODO|FIXME|XXX|HACK)\b/,
    files: /./,
    sample: '// TODO: the rest',
  },
  {
    what: 'a comment describes the present state',
    pattern: /^\s*(?:\/\/|\*|\/\*\*).*(?:\bno longer\b(?! than)|\banymore\b)/,
    files: /\.(?:ts|cjs)$/,
    sample: '// It no longer does that.',
  },
  {
    what: 'a comment starts with a noun or a verb',
    pattern: /^\s*(?:\/\/|\*|\/\*\*) (?:Of|Those|Whose|Whatever) /,
    files: /\.(?:tsx?|cjs|sql)$/,
    sample: '/** Of the operator; undefined for an app. */',
  },
  {
    what: 'a paid period is not called a month, and what HTTP returns is not called an answer',
    pattern:
      /\b(?:newestMonths|subscriptionMonthsMax|SubscriptionMonth|StoredMonth|(?:paid|subscription|moved)-months|purchase_month\w*|(?:subscription|body)\??\.months|(?:malformed|Http)Answer|[iI]sAnswerCut|is_answer_cut|(?:delivery|logged)AnswerBytesMax)\b/,
    files: /./,
    sample: 'constraint purchase_month_not_consumed',
  },
  {
    what: 'the project speaks of itself only',
    pattern: /(?<![\w.])\/work\/|(?<![\w-])(?:spec|design)\.md\b|\bissue #?\d|(?<![\w&/])#\d+\b/i,
    files: /./,
    sample: 'As in /work/a, see #12.',
  },
];

const paths = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.(?:tsx?|cjs|md|sql|json|sh|ya?ml)$|^\.ci\//.test(path))
  .filter((path) => !/^test\/wording|^package-lock/.test(path));

test.each(bans)('$what', ({ pattern, files, except, sample }) => {
  const broken = paths
    .filter((path) => files.test(path) && !except?.test(path))
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    );
  expect(broken).toEqual([]);
  expect(pattern.test(sample)).toBe(true);
});

const table = /^\| say \| not \|\n.*\n((?:\|.*\n)+)/m;
const [, rows = ''] = table.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
const phrases = [...rows.matchAll(/ ([^|]+) \|$/gm)].flatMap(([, cell = '']) => cell.split(', '));

/** A phrase as a pattern: its first word may be inflected, and `...` is up to four words. */
function wordsOf(phrase: string): RegExp {
  const [first = '', ...others] = phrase.split(' ');
  const forms = {
    tell: 'tells?|told|telling',
    hold: 'holds?|held',
    let: 'lets?|letting',
    meet: 'meets?|met',
  };
  const verb = forms[first as keyof typeof forms] ?? `${first}(?:e?s|e?d|ing)?`;
  const rest = others.map((word) => (word === '...' ? "(?: [\\w'-]+){0,4}" : ` ${word}`));
  return new RegExp(`\\b(?:${verb})${rest.join('')}\\b`, 'gi');
}

/** Identifiers as words, and each sentence of a comment or a paragraph in one line. */
const sentencesOf = (text: string): string =>
  text
    .replace(table, '')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/(\S)\n *(?:\/\/|\*|#|--)? *(?=\w)/g, '$1 ');

test('no text and no identifier has a word of the right column of the table in CONTRIBUTING.md', () => {
  expect(phrases.length).toBeGreaterThan(30);
  expect(sentencesOf('letBodiesGo')).toMatch(wordsOf('let ... go'));
  expect(sentencesOf('// Nothing is sent to\n  // whoever has left.')).toMatch(wordsOf('to whoever'));
  const patterns = phrases.map(wordsOf);
  const found = paths.flatMap((path) => {
    const text = sentencesOf(readFileSync(path, 'utf8'));
    return patterns.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(
        ({ index, 0: words }) =>
          `${path}: ${text.slice(index - 20, index + words.length + 20).replaceAll('\n', ' ')}`,
      ),
    );
  });
  expect(found).toEqual([]);
});
