// Formats the report as text: a line for each check, with the reason below it if it did not pass.

import { styleText } from 'node:util';
import type { Outcome } from '../verdict.ts';
import type { ConformanceReport, ReportedCheck } from './report.ts';

const marks = {
  pass: { word: 'pass       ', style: 'green' },
  fail: { word: 'FAIL       ', style: 'red' },
  'cannot tell': { word: 'cannot tell', style: 'yellow' },
} as const satisfies Record<Outcome, { word: string; style: string }>;

const msPerSecond = 1_000;

export function textReport(report: ConformanceReport, { colours = false } = {}): string {
  const styled = (style: Parameters<typeof styleText>[0], text: string) =>
    colours ? styleText(style, text, { validateStream: false }) : text;
  const idWidth = Math.max(...report.checks.map(({ id }) => id.length));
  const line = ({ id, outcome, rule, section, because }: ReportedCheck): string[] => {
    const { word, style } = marks[outcome];
    const first = `${styled(style, word)}  ${id.padEnd(idWidth)}  ${rule} ${styled('dim', `[${section}]`)}`;
    return because === undefined ? [first] : [first, `${' '.repeat(13)}${because}`];
  };
  const { pass, fail, cannotTell } = report.counts;
  const seconds = (report.durationMs / msPerSecond).toFixed(1);
  return [
    `${report.server}, ${report.packageName}`,
    '',
    ...report.checks.flatMap(line),
    '',
    `${pass} passed, ${fail} failed, ${cannotTell} could not be decided, in ${seconds} s`,
    '',
  ].join('\n');
}
