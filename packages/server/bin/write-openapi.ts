// npm run openapi [file]: writes the OpenAPI document that the operator listener serves under /docs.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openApiDocument } from '../src/http/openapi/document.ts';

const [file = 'dist/openapi.json'] = process.argv.slice(2);

await mkdir(dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify(await openApiDocument(), undefined, 2)}\n`);
