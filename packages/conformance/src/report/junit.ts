// Formats the report as JUnit XML: a failed check is a failure, and one that is inconclusive is skipped.

import XmlBuilder from 'fast-xml-builder';
import type { ConformanceReport, ReportedCheck } from './report.ts';

export function junitReport(report: ConformanceReport): string {
  const attributes = { ignoreAttributes: false, attributeNamePrefix: '@' };
  const builder = new XmlBuilder({ ...attributes, format: true, suppressEmptyNode: true });
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      '@name': `OpenTill conformance of ${report.server}`,
      ...totals(report.checks),
      '@time': inSeconds(report.durationMs),
      testsuite: [...Map.groupBy(report.checks, ({ group }) => group)].map(([group, checks]) => ({
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
    ...(outcome === 'inconclusive' && { skipped: { '@message': because } }),
  };
}

function totals(checks: readonly ReportedCheck[]): object {
  const count = (outcome: string) => checks.filter((check) => check.outcome === outcome).length;
  const [failures, skipped] = [count('fail'), count('inconclusive')];
  return { '@tests': checks.length, '@failures': failures, '@errors': 0, '@skipped': skipped };
}

function inSeconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}
