// What a person reads after a start: where the server listens and, with the demo app, calls that work when
// they are pasted.

import type { Config } from './config.ts';
import type { Demo } from './demo.ts';
import type { RunningServer } from './server.ts';

export function welcome(start: {
  readonly config: Config;
  readonly server: RunningServer;
  readonly adminKey: string | undefined;
  readonly demo: Demo | undefined;
}): string {
  const { config, server, adminKey, demo } = start;
  const lines = [
    '',
    `OpenTill, ${config.environment} environment`,
    '',
    `  purchase API   ${server.publicUrl}/v2`,
    `  operator API   ${server.operatorUrl}/operator/v1`,
    `  documentation  ${server.operatorUrl}/docs`,
  ];
  // A key belongs in no log: where this is no demo, it stands in the settings or in its file.
  if (demo !== undefined && adminKey !== undefined) lines.push(`  operator key   ${adminKey}`);
  if (demo !== undefined) lines.push(...demoLines(server, demo, adminKey));
  return `${lines.join('\n')}\n\n`;
}

function demoLines(server: RunningServer, demo: Demo, adminKey: string | undefined): string[] {
  if (demo.clientSecret === undefined) {
    return [
      '',
      `The demo app ${demo.packageName} is there; its secret was shown by the server that made it.`,
    ];
  }
  const { packageName, clientSecret, purchaseIds } = demo;
  const json = "-H 'Content-Type: application/json'";
  const bearer = '-H "Authorization: Bearer $TOKEN"';
  return [
    '',
    'Demo app',
    `  client_id      ${packageName}`,
    `  client_secret  ${clientSecret}`,
    '',
    'Try it:',
    '',
    `TOKEN=$(curl -s ${server.publicUrl}/v2/oauth/token -d grant_type=client_credentials \\`,
    `  -d client_id=${packageName} -d client_secret=${clientSecret} \\`,
    `  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl ${bearer} ${json} ${server.publicUrl}/v2/purchase/details/${purchaseIds.coins}/${packageName}`,
    `curl -X POST ${bearer} ${json} ${server.publicUrl}/v2/purchase/consume/${purchaseIds.coins}/${packageName}`,
    `curl ${bearer} ${json} ${server.publicUrl}/v2/purchase/recurring-details/${purchaseIds.monthly}/${packageName}`,
    `curl ${bearer} ${json} ${server.publicUrl}/v2/purchase/voided-purchases/${packageName}`,
    ...(adminKey === undefined
      ? []
      : [
          `curl -H 'Authorization: Bearer ${adminKey}' ${server.operatorUrl}/operator/v1/apps/${packageName}/purchases`,
        ]),
  ];
}
