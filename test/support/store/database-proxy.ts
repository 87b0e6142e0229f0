// A proxy between a server and PostgreSQL that drops bytes, resets or refuses connections, or loses the response to one
// statement.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { ClientConfig } from 'pg';

export type NetworkState = 'open' | 'losing' | 'resetting' | 'refusing';

interface Link {
  readonly near: Socket;
  readonly far: Socket;
  /** Bytes were lost: nothing more is forwarded, and neither side is notified. */
  isDead: boolean;
}

export class DatabaseProxy implements AsyncDisposable {
  readonly connection: ClientConfig;
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #port: number;
  #state: NetworkState = 'open';
  /** Texts that one connection sends in this order; the response to the last is dropped. */
  #lost: readonly string[] = [];
  #onStatement: ((bytes: Buffer) => void) | undefined;

  private constructor(postgres: ClientConfig, server: Server) {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    this.connection = { ...postgres, host: '127.0.0.1', port: this.#port };
    server.on('connection', (near: Socket) => this.#link(near, postgres));
  }

  static async start(postgres: ClientConfig): Promise<DatabaseProxy> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new DatabaseProxy(postgres, server);
  }

  async become(state: NetworkState): Promise<void> {
    const before = this.#state;
    this.#state = state;
    if (state === 'refusing') await this[Symbol.asyncDispose]();
    if (before === 'refusing' && state !== 'refusing') {
      await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
    }
    if (state === 'resetting') this.#resetAll();
  }

  /** The next statement that contains this text reaches the database, but its response is dropped. */
  loseResponseTo(text: string): void {
    this.#lost = [text];
  }

  /** The same for the commit of the next transaction with a statement that contains this text. */
  loseCommitOf(text: string): void {
    this.#lost = [text, 'commit'];
  }

  /** Called with everything that a client sends, before it is forwarded. */
  onStatement(listener: (bytes: Buffer) => void): void {
    this.#onStatement = listener;
  }

  #link(near: Socket, postgres: ClientConfig): void {
    near.on('error', () => undefined);
    if (this.#state === 'resetting') {
      near.resetAndDestroy();
      return;
    }
    const { host = '', port = 5432 } = postgres;
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    far.on('error', () => undefined);
    const link: Link = { near, far, isDead: false };
    this.#links.add(link);
    const forward = (to: Socket) => (bytes: Buffer) => {
      if (this.#state === 'losing') link.isDead = true;
      if (!link.isDead && !to.destroyed) to.write(bytes);
    };
    const toDatabase = forward(far);
    const toServer = forward(near);
    let losesResponses = false;
    let seen = 0;
    near.on('data', (bytes: Buffer) => {
      this.#onStatement?.(bytes);
      if (this.#lost.length === 0) seen = 0;
      const text = this.#lost[seen];
      if (text !== undefined && bytes.includes(text)) seen += 1;
      if (seen > 0 && seen === this.#lost.length) {
        this.#lost = [];
        losesResponses = true;
      }
      toDatabase(bytes);
    });
    far.on('data', (bytes: Buffer) => {
      if (losesResponses) near.resetAndDestroy();
      else toServer(bytes);
    });
    near.on('close', () => {
      this.#links.delete(link);
      far.destroy();
    });
    far.on('close', () => near.destroy());
  }

  #resetAll(): void {
    for (const { near } of this.#links) near.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#resetAll();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
