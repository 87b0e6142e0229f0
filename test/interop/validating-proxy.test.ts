// The conformance kit through a proxy that validates each response against the OpenAPI document.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { runConformance } from '@opentill/conformance';
import { expect, test } from 'vitest';
import { freePort } from '../support/documents/free-port.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { outputOf } from '../support/process-output.ts';
import { waitFor } from '../support/wait-for.ts';
import { documentUrl, openApp, storeUrl } from './example-backend.ts';
import { installed, validatingProxy } from './programs.ts';

interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

/** Starts Prism, which adds what it finds wrong to its responses. */
async function startPrism(): Promise<{ readonly url: string } & AsyncDisposable> {
  const port = await freePort();
  const [node, script] = validatingProxy.command;
  const prism = spawn(node, [script, 'proxy', documentUrl, storeUrl, '--port', String(port)]);
  const output = outputOf(prism);
  const isListening = () => {
    if (prism.exitCode !== null) throw new Error(`Prism ended: ${output.stdout}${output.stderr}`);
    return output.stdout.includes('Prism is listening');
  };
  await waitFor(isListening, { what: 'Prism that listens' });
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      prism.kill();
      await once(prism, 'close');
    },
  };
}

/** Matches the methods and paths of the document. */
async function documentedCalls(): Promise<(call: string) => boolean> {
  const { paths } = (await (await fetch(documentUrl)).json()) as {
    paths: Readonly<Record<string, object>>;
  };
  const patterns = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map(
      (method) => new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`, 'i'),
    ),
  );
  return (call) => patterns.some((pattern) => pattern.test(call));
}

/** Forwards a request as it is, and returns what Prism found, if it is there. */
async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  origin: string,
): Promise<readonly Violation[]> {
  const { method, url, headers } = incoming;
  const sent = request(`${origin}${url}`, { method, headers, agent: false });
  const [, [response]] = await Promise.all([pipeline(incoming, sent), once(sent, 'response')]);
  outgoing.writeHead(response.statusCode, response.headers);
  await pipeline(response, outgoing);
  return JSON.parse(response.headers['sl-violations'] ?? '[]');
}

test.each(installed([validatingProxy]))(
  '$name finds violations in the broken requests of the conformance kit, and none in the responses',
  async () => {
    await using prism = await startPrism();
    const isDocumented = await documentedCalls();
    const violations: (Violation & { readonly call: string })[] = [];
    await using front = await listenOnLoopback(
      createServer((incoming, outgoing) => {
        const call = `${incoming.method} ${incoming.url}`;
        // Prism does not respond to a body that its Content-Type does not describe.
        const isReadable =
          incoming.headers['content-type'] !== 'application/json' || !call.startsWith('POST /v2/oauth');
        const origin = isDocumented(call) && isReadable ? prism.url : storeUrl;
        forward(incoming, outgoing, origin).then(
          (found) => violations.push(...found.map((violation) => ({ call, ...violation }))),
          (error: Error) => outgoing.destroy(error),
        );
      }),
    );
    const { options } = await openApp();
    const { packageName, clientId, clientSecret } = options;
    const target = { origin: `http://127.0.0.1:${front.port}`, packageName, clientId, clientSecret };
    const report = await runConformance(target, { usesSandbox: true, allowsChanges: true });
    expect(report.checks.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    expect(violations.filter(({ location }) => location[0] === 'request').length).toBeGreaterThan(0);
    expect(violations.filter(({ location }) => location[0] !== 'request')).toEqual([]);
  },
);
