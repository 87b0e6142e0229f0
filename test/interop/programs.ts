// The programs of the interop suite, with what each needs on this machine (test/interop/install).

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const inFolder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export interface Program {
  /** Language and library. */
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Files and folders, without which it is not run. */
  readonly needs: readonly string[];
}

const npmPackage = (name: string): string => inFolder(`node_modules/${name}`);
const pythonPackage = (name: string): string => `/usr/lib/python3/dist-packages/${name}`;

/** Go's packages of Debian, which has no modules. */
const goEnv = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode' };

export const oauthPrograms: readonly Program[] = [
  {
    name: 'Go, golang.org/x/oauth2',
    command: ['/usr/bin/go', 'run', inFolder('oauth/go-x-oauth2.go')],
    env: goEnv,
    needs: ['/usr/bin/go', '/usr/share/gocode/src/golang.org/x/oauth2'],
  },
  {
    name: 'Python, requests-oauthlib',
    command: ['/usr/bin/python3', inFolder('oauth/python-requests-oauthlib.py')],
    needs: ['/usr/bin/python3', pythonPackage('requests_oauthlib')],
  },
  {
    name: 'Python, Authlib',
    command: ['/usr/bin/python3', inFolder('oauth/python-authlib.py')],
    needs: ['/usr/bin/python3', pythonPackage('authlib')],
  },
  {
    name: 'Ruby, oauth2',
    command: ['/usr/bin/ruby', inFolder('oauth/ruby-oauth2.rb')],
    needs: ['/usr/bin/ruby', '/usr/share/doc/ruby-oauth2'],
  },
  {
    name: 'Node.js, openid-client',
    command: [process.execPath, inFolder('oauth/node-openid-client.js')],
    needs: [npmPackage('openid-client')],
  },
  {
    name: 'Node.js, simple-oauth2',
    command: [process.execPath, inFolder('oauth/node-simple-oauth2.js')],
    needs: [npmPackage('simple-oauth2')],
  },
];

/** Every program of the suite. */
export const programs: readonly Program[] = [...oauthPrograms];

/** The first thing that a program needs and this machine does not have. */
export function missingFor({ needs }: Pick<Program, 'needs'>): string | undefined {
  return needs.find((path) => !existsSync(path));
}

export function installed<Wanted extends Pick<Program, 'needs'>>(programs: readonly Wanted[]): Wanted[] {
  return programs.filter((program) => missingFor(program) === undefined);
}
