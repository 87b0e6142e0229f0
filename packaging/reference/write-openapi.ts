// npm run openapi [file]: writes the OpenAPI document of all APIs.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openApiDocument } from './document.ts';

const [file = 'dist/openapi.json'] = process.argv.slice(2);

await mkdir(dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify(openApiDocument('everyone'), undefined, 2)}\n`);
