// Formats the report as JUnit XML: a failed check is a failure, and one that could not be decided is skipped.

import XmlBuilder from 'fast-xml-builder';
import { groups } from '../check.ts';
import type { ConformanceReport, ReportedCheck } from './report.ts';

const msPerSecond = 1_000;

/** The prefix of names that become attributes. */
const attributePrefix = '@';

export function junitReport(report: ConformanceReport): string {
  const builder = new XmlBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: attributePrefix,
    format: true,
    suppressEmptyNode: true,
  });
  const suites = groups
    .map((group) => ({ group, checks: report.checks.filter((check) => check.group === group) }))
    .filter(({ checks }) => checks.length > 0);
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      '@name': `OpenTill conformance of ${report.server}`,
      ...totals(report.checks),
      '@time': inSeconds(report.durationMs),
      testsuite: suites.map(({ group, checks }) => ({
        '@name': group,
        ...totals(checks),
        '@time': inSeconds(checks.reduce((sum, { durationMs }) => sum + durationMs, 0)),
        '@timestamp': new Date(report.startedAt).toISOString(),
        testcase: checks.map(testCase),
      })),
    },
  });
}

function testCase({ id, group, rule, section, outcome, because, durationMs }: ReportedCheck): object {
  return {
    '@classname': `conformance.${group}`,
    '@name': `${id} ${rule}`,
    '@time': inSeconds(durationMs),
    ...(outcome === 'fail' && { failure: { '@message': because, '@type': section } }),
    ...(outcome === 'cannot tell' && { skipped: { '@message': because } }),
  };
}

function totals(checks: readonly ReportedCheck[]): object {
  const count = (outcome: string) => checks.filter((check) => check.outcome === outcome).length;
  return {
    '@tests': checks.length,
    '@failures': count('fail'),
    '@errors': 0,
    '@skipped': count('cannot tell'),
  };
}

function inSeconds(ms: number): string {
  return (ms / msPerSecond).toFixed(3);
}
