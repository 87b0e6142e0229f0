// Listens on addresses, and limits connections by the files that the process may open; a problem is
// reported in one line.

import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../../runtime/log.ts';
import { StartProblem } from '../../runtime/start-problem.ts';

/** The setting that a problem with a port names. */
export type PortSetting = 'OPENTILL_PORT' | 'OPENTILL_OPERATOR_PORT';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** @throws StartProblem if the address cannot be used. */
export async function listen(
  server: FastifyInstance,
  address: Address,
  portSetting: PortSetting,
): Promise<void> {
  try {
    await server.listen(await resolved(address));
  } catch (error) {
    // Other errors are bugs, such as an invalid route.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new StartProblem(listenProblem(error, address, portSetting).message, { cause: error });
  }
}

interface ListenProblem {
  readonly message: string;
  readonly isInUse: boolean;
}

/** Listens on the address for a moment; undefined: it can be used. */
export async function findListenProblem(
  address: Address,
  portSetting: PortSetting,
): Promise<ListenProblem | undefined> {
  const server = createServer();
  try {
    server.listen(await resolved(address));
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return listenProblem(error, address, portSetting);
  } finally {
    server.close();
  }
}

/** Resolves to one address: on the other addresses of localhost, Fastify would add a server without our error handling. */
async function resolved({ host, port }: Address): Promise<Address> {
  const { address } = await lookup(host, { order: 'ipv4first' });
  return { host: address, port };
}

function listenProblem(error: unknown, { host, port }: Address, portSetting: PortSetting): ListenProblem {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'EADDRINUSE'
    ? {
        message: `The port ${port} of ${host} is in use: stop the program that uses it, or set ${portSetting} to another port.`,
        isInUse: true,
      }
    : { message: `Cannot listen on ${host}:${port}: ${message}.`, isInUse: false };
}

/** The address that a server listens on, as in a URL. */
export function addressOf(server: FastifyInstance): string {
  const { address, family, port } = server.server.address() as AddressInfo;
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Connections of each listener; further ones are closed at once. */
const connectionsMax = 10_000;

/** Files that the process opens in addition to the connections of both listeners: to the database, for webhooks, and files. */
const otherFilesMax = 500;

/** With fewer, hardly a connection is left. */
export const openFilesMin = otherFilesMax + 12;

/** With fewer connections of each listener, a busy server rejects some: the start warns. */
const connectionsExpected = 1_000;

/** The connections of each listener: with both at this limit, the process can still open files. */
export function connectionsOfEach(log: Pick<Log, 'warn'>): number {
  const filesMax = openFilesMax();
  const possibleMax = Math.floor((filesMax - otherFilesMax) / 2);
  if (possibleMax < connectionsExpected)
    log.warn(`the limit of open files is ${filesMax}: each listener accepts ${possibleMax} connections`);
  return Math.min(connectionsMax, possibleMax);
}

interface UserLimits {
  /** Missing on Windows. */
  readonly userLimits?: { readonly open_files: { readonly hard: number | 'unlimited' } };
}

/** The hard limit, to which Node.js raises its own at start; Infinity if there is none. */
export function openFilesMax(): number {
  // Otherwise the report would resolve the names of connected hosts.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as UserLimits;
  const hard = userLimits?.open_files.hard;
  return typeof hard === 'number' ? hard : Number.POSITIVE_INFINITY;
}
