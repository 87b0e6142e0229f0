// The three formats of a report have the same content, are well-formed whatever the server responds, and contain no secret.

import { parseXml, type XmlElement } from '@rgrove/parse-xml';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checks } from '../src/checks/checks.ts';
import { junitReport } from '../src/report/junit.ts';
import { type ConformanceReport, makeReport } from '../src/report/report.ts';
import { textReport } from '../src/report/text.ts';
import { runConformance } from '../src/run-conformance.ts';
import type { Verdict } from '../src/verdict.ts';
import { done, failed, startPlantedServer } from './planted-server.ts';

const app = { packageName: 'com.example.game', clientId: 'com.example.game', clientSecret: 'top+secret' };
const target = { origin: 'https://store.example', ...app };

function reportOf(...verdicts: readonly Verdict[]): ConformanceReport {
  const results = verdicts.map((verdict, place) => ({
    check: checks[place] as (typeof checks)[number],
    verdict,
    durationMs: 12,
  }));
  return makeReport({
    target,
    secrets: [target.clientSecret],
    startedAt: 1_773_576_000_000,
    durationMs: 40,
    results,
  });
}

/** Any UTF-16, with many control characters, lone surrogates and special characters of XML. */
const anyText = fc
  .array(fc.oneof(fc.nat(0x80), fc.nat(0xffff), fc.integer({ min: 0xd800, max: 0xdfff })), { maxLength: 200 })
  .map((units) => String.fromCharCode(...units));

const elementsOf = (xml: string) =>
  (parseXml(xml).root as XmlElement).children.filter((child): child is XmlElement => 'attributes' in child);

describe('a report', () => {
  const report = reportOf(
    { outcome: 'pass' },
    { outcome: 'fail', because: 'Expected <this> & "that".' },
    { outcome: 'inconclusive', because: 'Needs more.' },
  );

  test('a JUnit report has failures and skipped tests with their reasons', () => {
    const xml = junitReport(report);
    expect(xml).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>/);
    const [suite] = elementsOf(xml);
    const counts = { tests: '3', failures: '1', errors: '0', skipped: '1' };
    expect(suite?.attributes).toMatchObject({ name: 'token', ...counts, time: '0.036' });
    const cases = (suite?.children ?? []).filter((child): child is XmlElement => 'attributes' in child);
    expect(cases.map(({ attributes }) => attributes['name'])).toEqual(
      checks.slice(0, 3).map(({ id, rule }) => `${id} ${rule}`),
    );
    const inner = cases.map((one) =>
      one.children.flatMap((child) => ('attributes' in child ? [(child as XmlElement).toJSON()] : [])),
    );
    expect(inner).toMatchObject([
      [],
      [{ name: 'failure', attributes: { message: 'Expected <this> & "that".', type: 'getAccessToken' } }],
      [{ name: 'skipped', attributes: { message: 'Needs more.' } }],
    ]);
  });

  test('a JUnit report is well-formed XML with the whole reason, whatever the server responds', () => {
    fc.assert(
      fc.property(anyText, (responded) => {
        const made = reportOf({ outcome: 'fail', because: `Expected more. ${responded}` });
        const because = made.checks[0]?.because ?? '';
        expect(because).not.toMatch(/\p{C}/u);
        const [suite] = elementsOf(junitReport(made));
        expect(JSON.stringify(suite)).toContain(JSON.stringify(because).slice(1, -1));
      }),
    );
  });
});

test('a report contains no secret, in whatever encoding the server returns it', async () => {
  await using server = await startPlantedServer();
  const tokens = new Set<string>();
  server.plant(async (seen, respond) => {
    const told = `${seen.headers.authorization} ${seen.body} ${decodeURIComponent(seen.body)}`;
    const reply = await respond(seen);
    const fields = reply.body as { readonly access_token?: string };
    if (fields.access_token !== undefined) tokens.add(fields.access_token);
    return reply.status === 200 ? done({ ...fields, told, status: 1 }) : failed(1, told);
  });
  const known = {
    expiredToken: 'expired-token-of-the-app-000000000000',
    otherEnvironmentToken: 'x'.repeat(36),
  };
  const report = await runConformance({ ...server.target, known }, { usesSandbox: true });
  expect(report.counts.fail).toBeGreaterThan(20);
  const { clientSecret } = server.app;
  const secrets = [
    clientSecret,
    encodeURIComponent(clientSecret),
    new URLSearchParams({ a: clientSecret }).toString().slice(2),
    ...tokens,
    ...Object.values(known),
  ];
  const forms = [JSON.stringify(report), textReport(report), junitReport(report)];
  for (const form of forms) {
    expect(form).toContain('***');
    for (const secret of secrets) expect(form).not.toContain(secret);
  }
});
