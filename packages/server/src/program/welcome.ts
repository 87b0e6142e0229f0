// The text that a start prints: where the server listens and, with the demo app, requests to paste into a shell.

import { styleText } from 'node:util';
import type { Config } from '../config/config.ts';
import { howToBuild } from '../http/pages/built-files.ts';
import type { Demo } from './sandbox/demo.ts';
import type { RunningServer } from './server.ts';

interface Welcome extends Pick<RunningServer, 'publicUrl' | 'operatorUrl'> {
  /** The folder of the bundled PostgreSQL's data if that is outside the data folder. */
  readonly elsewhere: string | undefined;
  readonly demo: Demo | undefined;
  /** A path of the operator listener that signs in to the console. */
  readonly consolePath: string | undefined;
  /** Whether the console and the reference are built or being built. */
  readonly isComplete: boolean;
  readonly config: Config;
  readonly adminKey: string | undefined;
  readonly hasColors: boolean;
}

type Style = 'bold' | 'cyan';
type Paint = (style: Style, text: string) => string;

export function welcome(welcome: Welcome): string {
  const { config, publicUrl, operatorUrl, elsewhere, adminKey, demo, consolePath, isComplete, hasColors } =
    welcome;
  const paint: Paint = (style, text) =>
    hasColors ? styleText(style, text, { validateStream: false }) : text;
  const lines = [
    '',
    paint('bold', `OpenTill, ${config.environment} environment`),
    '',
    `  purchase API   ${paint('cyan', `${publicUrl}/v2`)}`,
    `  operator API   ${paint('cyan', `${operatorUrl}/operator/v1`)}`,
    `  documentation  ${paint('cyan', `${operatorUrl}/docs`)}`,
    ...(config.developerAccess !== 'off' ? [`  for developers ${paint('cyan', `${publicUrl}/docs`)}`] : []),
    `  console        ${paint('cyan', operatorUrl + (consolePath ?? '/console/'))}`,
  ];
  if (consolePath !== undefined)
    lines.push('                 (signs in once, within 10 minutes; another: npx opentill console)');
  if (!isComplete) lines.push(`  not built      the documentation and the console: ${howToBuild}`);
  if (elsewhere !== undefined) {
    lines.push(
      `  database       ${elsewhere} (PostgreSQL does not run as root); keys are in ${config.dataFolder}`,
    );
  }
  // Without the demo, the key is only in the settings or its file: this text may end up in a log.
  if (demo !== undefined && adminKey !== undefined) lines.push(`  operator key   ${adminKey}`);
  if (demo !== undefined) lines.push(...demoLines({ publicUrl, operatorUrl, demo, adminKey, paint }));
  return `${lines.join('\n')}\n\n`;
}

function demoLines({
  publicUrl,
  operatorUrl,
  demo,
  adminKey,
  paint,
}: Pick<Welcome, 'publicUrl' | 'operatorUrl'> & {
  readonly demo: Demo;
  readonly adminKey: string | undefined;
  readonly paint: Paint;
}): string[] {
  if (demo.clientSecret === undefined) {
    return [
      '',
      `The demo app ${demo.packageName} already exists; the server that created it has printed its secret.`,
    ];
  }
  const { packageName, clientSecret, purchaseIds } = demo;
  const purchase = `${publicUrl}/v2/purchase`;
  return [
    '',
    paint('bold', 'Demo app'),
    `  client_id      ${packageName}`,
    `  client_secret  ${clientSecret}`,
    '',
    paint('bold', 'Try it:'),
    '',
    `TOKEN=$(curl -s ${publicUrl}/v2/oauth/token -d grant_type=client_credentials \\`,
    `  -d client_id=${packageName} -d client_secret=${clientSecret} \\`,
    `  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `ask() { curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; echo; }`,
    `ask ${purchase}/details/${purchaseIds.coins}/${packageName}`,
    `ask -X POST ${purchase}/consume/${purchaseIds.coins}/${packageName}`,
    `ask ${purchase}/recurring-details/${purchaseIds.monthly}/${packageName}`,
    `ask ${purchase}/voided-purchases/${packageName}`,
    ...(adminKey === undefined
      ? []
      : [`curl -s -H 'Authorization: Bearer ${adminKey}' ${operatorUrl}/operator/v1/purchases; echo`]),
  ];
}
