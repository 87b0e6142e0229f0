// The checks that a start and `opentill doctor` share: the data folder, the addresses of the listeners and the TLS files.

import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config, StoreConfig } from '../../config/config.ts';
import { isOpenMode, openSecretFiles } from '../../config/secret-files.ts';
import { listenerUrl } from '../../config/settings.ts';
import { type Address, findListenProblem, type PortSetting } from '../../http/listener/listening.ts';
import { certificateTimes, readTls } from '../../http/listener/tls-files.ts';
import { OutgoingHttp } from '../../runtime/outgoing-http.ts';
import { type CheckResult, failed, ok, StartProblem, skipped, warning } from '../../runtime/start-problem.ts';
import { isSystemError, nodeTlsAdvice } from '../../runtime/system-errors.ts';

const otherwise = 'Let this account write there, or set OPENTILL_DATA_DIR to another folder.';

export async function checkDataFolder({ databaseUrl, dataFolder }: StoreConfig): Promise<CheckResult> {
  const name = 'data folder';
  if (databaseUrl !== undefined) return skipped(name, 'not needed with DATABASE_URL');
  try {
    await access(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') return failed(name, `The data folder cannot be used: ${message}. ${otherwise}`);
    const problem = await problemOfCreating(dataFolder);
    return problem === undefined
      ? ok(name, `${dataFolder}, created by the first start`)
      : failed(name, `The data folder ${dataFolder} cannot be created: ${problem}. ${otherwise}`);
  }
  const found = await stat(dataFolder);
  if (!found.isDirectory()) return failed(name, `The data folder ${dataFolder} is not a folder.`);
  const open = await openSecretFiles(dataFolder);
  if (open.length > 0) {
    return warning(name, `other accounts can read ${open.join(', ')} in ${dataFolder}: set the mode 0600`);
  }
  return isOpenMode(found.mode)
    ? warning(name, `other accounts can list the files in ${dataFolder}: set the mode 0700`)
    : ok(name, dataFolder);
}

/** Why this account cannot create a folder, which depends on the nearest parent that exists; undefined if it can. */
async function problemOfCreating(folder: string): Promise<string | undefined> {
  const above = dirname(folder);
  try {
    await access(above, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const isNearest = above === folder || !isSystemError(error, 'ENOENT');
    return isNearest ? (error as Error).message : await problemOfCreating(above);
  }
}

interface StatusRequest {
  readonly method: 'GET' | 'HEAD';
  readonly withinMs: number;
  /** Whether the certificate has to be trusted and match the host name. */
  readonly verifiesCertificate: boolean;
}

/** Follows no redirect. Rejects with a readable reason if no response starts in time. */
export async function fetchStatus(
  url: string,
  { method, withinMs, verifiesCertificate }: StatusRequest,
): Promise<number> {
  using http = new OutgoingHttp({ withinMs, bodyBytesMax: 0 }, { rejectUnauthorized: verifiesCertificate });
  const { status, failure } = await http.send({ method, url: new URL(url) });
  if (status !== undefined) return status;
  if (failure === undefined || !('error' in failure)) throw new Error(`no response within ${withinMs} ms`);
  if (failure.kind === 'connectionLost') throw new Error('the connection was closed without a response');
  // The error of a name with several addresses has only a code.
  const { message, code } = failure.error as NodeJS.ErrnoException;
  throw new Error(
    message.replace(nodeTlsAdvice, ` (${code}): name its authority in NODE_EXTRA_CA_CERTS`) || code,
  );
}

/** A server on this machine responds at once. */
const respondWithinMs = 3_000;
const okStatus = 200;

/** `mayRun`: an address that is in use passes if a server responds on the operator listener. */
export async function checkListeners(
  { publicAddress, operatorAddress, tlsFiles }: Config,
  { mayRun }: { readonly mayRun: boolean },
): Promise<CheckResult[]> {
  const runs = mayRun && (await isServerLive(operatorAddress, tlsFiles === undefined ? 'http' : 'https'));
  return [
    await checkListener('public listener', publicAddress, { runs, portSetting: 'OPENTILL_PORT' }),
    await checkListener('operator listener', operatorAddress, {
      runs,
      portSetting: 'OPENTILL_OPERATOR_PORT',
    }),
  ];
}

async function checkListener(
  name: string,
  address: Address,
  { runs, portSetting }: { readonly runs: boolean; readonly portSetting: PortSetting },
): Promise<CheckResult> {
  const at = `${address.host}:${address.port}`;
  const problem = await findListenProblem(address, portSetting);
  if (problem === undefined)
    return ok(name, address.port === 0 ? `${address.host}, any free port` : `${at} is free`);
  return runs && problem.isInUse ? ok(name, `${at}, where a server runs`) : failed(name, problem.message);
}

async function isServerLive(address: Address, protocol: 'http' | 'https'): Promise<boolean> {
  try {
    const status = await fetchStatus(`${listenerUrl({ ...address, protocol })}/health/live`, {
      method: 'GET',
      withinMs: respondWithinMs,
      // The certificate is for a host name, and this is an address.
      verifiesCertificate: false,
    });
    return status === okStatus;
  } catch {
    // No OpenTill server responds there, for any reason.
    return false;
  }
}

export async function checkTls({ tlsFiles, trustedProxies }: Config, now: number): Promise<CheckResult> {
  const name = 'TLS';
  try {
    const files = await readTls(tlsFiles);
    if (files === undefined) {
      return skipped(name, trustedProxies === undefined ? 'none, on loopback' : 'terminated by a proxy');
    }
    const { expiresAt, dueAt } = certificateTimes(files);
    const day = new Date(expiresAt).toISOString().slice(0, 'yyyy-mm-dd'.length);
    if (expiresAt <= now) return failed(name, `The TLS certificate expired on ${day}.`);
    return dueAt <= now
      ? warning(name, `the certificate expires on ${day}`)
      : ok(name, `certificate valid until ${day}`);
  } catch (error) {
    if (error instanceof StartProblem) return failed(name, error.message);
    throw error;
  }
}
