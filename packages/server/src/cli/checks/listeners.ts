// The two listeners: whether their addresses are free or a server of ours is there, and whether their
// certificate holds.

import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../../config.ts';
import { readTls } from '../../http/listening.ts';
import { StartProblem } from '../../runtime/start-problem.ts';
import { listenerUrl } from '../../settings.ts';
import { askStatus } from './answer-status.ts';
import { type CheckResult, failed, ok, skipped, warning } from './check-result.ts';

/** A server on this machine answers at once. */
const answerWithinMs = 3_000;
const okStatus = 200;

export async function checkPorts(config: Config): Promise<CheckResult[]> {
  const { publicAddress, operatorAddress, tlsFiles } = config;
  const runs = await isServerLive(operatorAddress, tlsFiles === undefined ? 'http' : 'https');
  return [
    await checkPort('public listener', publicAddress, runs),
    await checkPort('operator listener', operatorAddress, runs),
  ];
}

interface Address {
  readonly host: string;
  readonly port: number;
}

async function checkPort(name: string, { host, port }: Address, runs: boolean): Promise<CheckResult> {
  const at = `${host}:${port}`;
  if (port === 0) return ok(name, `${host}, any free port`);
  const refusal = await tryListening({ host, port });
  if (refusal === undefined) return ok(name, `${at} is free`);
  if (refusal !== 'EADDRINUSE') return failed(name, `${at}: ${refusal}`);
  return runs ? ok(name, `${at}, where a server runs`) : failed(name, `${at} is in use by something else`);
}

async function tryListening(address: Address): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(address);
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
  } finally {
    server.close();
  }
}

async function isServerLive(address: Address, protocol: 'http' | 'https'): Promise<boolean> {
  try {
    const status = await askStatus(`${listenerUrl({ ...address, protocol })}/health/live`, {
      method: 'GET',
      withinMs: answerWithinMs,
      // It is for the name that callers use, and this is the address.
      verifiesCertificate: false,
    });
    return status === okStatus;
  } catch {
    // Whatever keeps it from answering: nothing of ours is there.
    return false;
  }
}

const dayMs = 86_400_000;
const certificateDaysMin = 14;

export async function checkTls({ tlsFiles, isBehindTlsProxy }: Config, now: number): Promise<CheckResult> {
  const name = 'TLS';
  if (tlsFiles === undefined) {
    return skipped(name, isBehindTlsProxy ? 'spoken by a proxy in front' : 'none, on loopback');
  }
  try {
    const files = await readTls(tlsFiles);
    const until = Date.parse(new X509Certificate(files?.cert ?? '').validTo);
    const day = new Date(until).toISOString().slice(0, 'yyyy-mm-dd'.length);
    if (until <= now) return failed(name, `the certificate ran out on ${day}`);
    const isShort = until - now < certificateDaysMin * dayMs;
    return isShort
      ? warning(name, `the certificate runs out on ${day}`)
      : ok(name, `certificate until ${day}`);
  } catch (error) {
    if (error instanceof StartProblem) return failed(name, error.message);
    throw error;
  }
}
