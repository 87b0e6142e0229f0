// Writes docs/openapi.json, the document that the operator listener serves under /docs: `npm run openapi`.

import { writeFile } from 'node:fs/promises';
import { openApiDocument } from '../src/http/openapi.ts';

const file = new URL('../../../docs/openapi.json', import.meta.url);

await writeFile(file, `${JSON.stringify(openApiDocument(), undefined, 2)}\n`);
