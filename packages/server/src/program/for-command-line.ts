// All that the command line uses of the server. What every command needs is loaded with this file, and the rest by
// the commands that use it, so that --help is fast.

export { findSecretFile } from '../config/secret-files.ts';
export {
  execVariable,
  fullMeaning,
  listenerUrl,
  type SettingName,
  settingNames,
  settingOf,
  switchChoices,
} from '../config/settings.ts';
export type { WebhookRules } from '../domain/webhooks/webhook-address.ts';
export type { SendOutcome, WebhookSender } from '../jobs/webhooks/webhook-sender.ts';
export { monotonicClock, systemClock } from '../runtime/clock.ts';
export { pause } from '../runtime/pause.ts';
export { secureRandomness } from '../runtime/randomness.ts';
export { StartProblem } from '../runtime/start-problem.ts';
export { nodeTlsAdvice } from '../runtime/system-errors.ts';
export type { Cluster } from '../store/schema/cluster.ts';
export type { DatabaseStatus } from '../store/schema/database-checks.ts';
export type { runRehearsal } from './commands/rehearse.ts';
export type { runImport } from './commands/transfer.ts';

export const load = {
  server: () => import('./main.ts'),
  exec: () => import('./commands/exec.ts'),
  database: () => import('./commands/database.ts'),
  doctor: () => import('./commands/doctor.ts'),
  gatewayTest: () => import('./commands/gateway-test.ts'),
  rehearse: () => import('./commands/rehearse.ts'),
  transfer: () => import('./commands/transfer.ts'),
  wallTime: () => import('../domain/wall-time.ts'),
  webhooks: () => import('./commands/webhooks.ts'),
} as const;
