// Replaces curl on a machine without it, with the options that the welcome uses: -s, -X, -H, -d, --data-urlencode, -w with
// the status, and a URL.

import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    retry: { type: 'string' },
    'retry-delay': { type: 'string' },
    'retry-connrefused': { type: 'boolean' },
    'write-out': { type: 'string', short: 'w', default: '' },
    data: { type: 'string', short: 'd', multiple: true, default: [] },
    'data-urlencode': { type: 'string', multiple: true, default: [] },
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
const encoded = values['data-urlencode'].map((pair) => {
  const [name = '', ...value] = pair.split('=');
  return `${name}=${encodeURIComponent(value.join('='))}`;
});
const data = [...values.data, ...encoded];
if (data.length > 0 && !headers.has('content-type')) {
  headers.set('content-type', 'application/x-www-form-urlencoded');
}
const method = values.request ?? (data.length === 0 ? 'GET' : 'POST');
const response = await fetch(url, { method, headers, ...(data.length > 0 && { body: data.join('&') }) });
const added = values['write-out'].replaceAll('\\n', '\n').replaceAll('%{http_code}', String(response.status));
process.stdout.write((await response.text()) + added);
