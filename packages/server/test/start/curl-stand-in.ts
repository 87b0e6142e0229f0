// Stands in for curl on a machine that has none, as far as the welcome's lines use it: -s, -X, -H,
// -d, -w with the status, and a URL.

import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    'write-out': { type: 'string', short: 'w', default: '' },
    data: { type: 'string', short: 'd', multiple: true },
  },
});
const [url] = positionals;
if (url === undefined || positionals.length > 1) throw new Error('curl: expected one URL');
const headers = new Headers(
  values.header.map((line): [string, string] => {
    const [name = '', ...value] = line.split(':');
    return [name, value.join(':').trim()];
  }),
);
const body = values.data?.join('&');
if (body !== undefined) headers.set('content-type', 'application/x-www-form-urlencoded');
const method = values.request ?? (body === undefined ? 'GET' : 'POST');
const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
const added = values['write-out'].replaceAll('\\n', '\n').replaceAll('%{http_code}', String(response.status));
process.stdout.write((await response.text()) + added);
