// npm run openapi [file]: writes the OpenAPI document of all APIs, as the operator listener of a sandbox serves it.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openApiDocument } from '../src/http/openapi/document.ts';

const [file = 'dist/openapi.json'] = process.argv.slice(2);

await mkdir(dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify(await openApiDocument('sandboxOperator'), undefined, 2)}\n`);
