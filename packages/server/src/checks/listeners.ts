// Checks that the addresses of both listeners are free, and that the TLS certificate can be used.

import { X509Certificate } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { listenerUrl } from '../config/settings.ts';
import { dayMs } from '../domain/time.ts';
import { findListenProblem, readTls } from '../http/listener/listening.ts';
import { type CheckResult, failed, ok, skipped, warning } from '../runtime/check-result.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { askStatus } from './answer-status.ts';

/** A server on this machine responds at once. */
const answerWithinMs = 3_000;
const okStatus = 200;

interface Address {
  readonly host: string;
  readonly port: number;
}

/** `mayRun`: an address that is in use passes if a server answers on the operator listener. */
export async function checkListeners(
  { publicAddress, operatorAddress, tlsFiles }: Config,
  { mayRun }: { readonly mayRun: boolean },
): Promise<CheckResult[]> {
  const runs = mayRun && (await isServerLive(operatorAddress, tlsFiles === undefined ? 'http' : 'https'));
  return [
    await checkListener('public listener', publicAddress, runs),
    await checkListener('operator listener', operatorAddress, runs),
  ];
}

async function checkListener(name: string, address: Address, runs: boolean): Promise<CheckResult> {
  const at = `${address.host}:${address.port}`;
  const problem = await findListenProblem(address);
  if (problem === undefined)
    return ok(name, address.port === 0 ? `${address.host}, any free port` : `${at} is free`);
  return runs && problem.isInUse ? ok(name, `${at}, where a server runs`) : failed(name, problem.message);
}

async function isServerLive(address: Address, protocol: 'http' | 'https'): Promise<boolean> {
  try {
    const status = await askStatus(`${listenerUrl({ ...address, protocol })}/health/live`, {
      method: 'GET',
      withinMs: answerWithinMs,
      // The certificate is for a host name, and this is an address.
      verifiesCertificate: false,
    });
    return status === okStatus;
  } catch {
    // Whatever the reason, no OpenTill server responds there.
    return false;
  }
}

const certificateDaysMin = 14;

export async function checkTls({ tlsFiles, isBehindTlsProxy }: Config, now: number): Promise<CheckResult> {
  const name = 'TLS';
  if (tlsFiles === undefined) {
    return skipped(name, isBehindTlsProxy ? 'terminated by a proxy' : 'none, on loopback');
  }
  try {
    const files = await readTls(tlsFiles);
    const until = Date.parse(new X509Certificate(files?.cert ?? '').validTo);
    const day = new Date(until).toISOString().slice(0, 'yyyy-mm-dd'.length);
    if (until <= now) return failed(name, `The TLS certificate expired on ${day}.`);
    const isShort = until - now < certificateDaysMin * dayMs;
    return isShort
      ? warning(name, `the certificate expires on ${day}`)
      : ok(name, `certificate valid until ${day}`);
  } catch (error) {
    if (error instanceof StartProblem) return failed(name, error.message);
    throw error;
  }
}
