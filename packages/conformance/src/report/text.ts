// Formats the report as text: a line for each check, with the reason below it if it did not pass.

import { styleText } from 'node:util';
import type { ConformanceReport, ReportedCheck } from './report.ts';

const marks = {
  pass: { word: 'pass        ', style: 'green' },
  fail: { word: 'FAIL        ', style: 'red' },
  inconclusive: { word: 'inconclusive', style: 'yellow' },
} as const;

export function textReport(report: ConformanceReport, { colours = false } = {}): string {
  const { pass, fail, inconclusive } = report.counts;
  if (pass + fail === 0) {
    return `No check of ${report.server} passed: ${report.checks[0]?.because}\n`;
  }
  const styled = (style: Parameters<typeof styleText>[0], text: string) =>
    colours ? styleText(style, text, { validateStream: false }) : text;
  const idWidth = Math.max(...report.checks.map(({ id }) => id.length));
  const line = ({ id, outcome, rule, section, because }: ReportedCheck): string[] => {
    const { word, style } = marks[outcome];
    const first = `${styled(style, word)}  ${id.padEnd(idWidth)}  ${rule} ${styled('dim', `[${section}]`)}`;
    return because === undefined ? [first] : [first, `${' '.repeat(14)}${because}`];
  };
  const seconds = (report.durationMs / 1_000).toFixed(1);
  return [
    `${report.server}, ${report.packageName}`,
    '',
    ...report.checks.flatMap(line),
    '',
    `${pass} passed, ${fail} failed, ${inconclusive} inconclusive, in ${seconds} s`,
    '',
  ].join('\n');
}
