// Limits the names under which the operator listener can be called: a web page whose name resolves to this address
// could otherwise call it from the browser of an operator (docs/decisions/access.md).

import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { sendError } from '../error-response.ts';

const hostAndPort = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/;

/** Must be called before any other onRequest hook that responds. Health checks may use any name. */
export function checkHosts(server: FastifyInstance, names: readonly string[]): void {
  const allowed = new Set([...names, 'localhost']);
  server.addHook('onRequest', (request, reply, done) => {
    const { host } = request.headers;
    if (request.url.startsWith('/health/') || host === undefined || isAllowed(host, allowed)) {
      done();
      return;
    }
    const detail =
      'Host: expected an IP address, localhost or a name listed in OPENTILL_OPERATOR_HOSTS, got another name.';
    sendError(reply, 'operator', 'misdirectedRequest', { detail });
  });
}

function isAllowed(header: string, names: ReadonlySet<string>): boolean {
  const [, host = ''] = hostAndPort.exec(header) ?? [];
  const name = host.toLowerCase().replace(/\.$/, '');
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || names.has(name);
}
