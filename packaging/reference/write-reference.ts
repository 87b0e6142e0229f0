// Writes everything that a server serves under /docs into a folder: the reference with its OpenAPI documents and its renderer
// (docs/decisions/packages.md), the guides, and the page of errors.

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';
import { openApiDocument } from './document.ts';
import { guidePage, guides } from './guides.ts';
import { pageStyle } from './html-page.ts';
import { problemsPage } from './problems-page.ts';
import { urls } from './samples.ts';

/** `data-tries`: calls are made by the page, which only the listener that they go to allows. */
const referencePage = (attributes: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>OpenTill: the APIs</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference" ${attributes}></div>
<script src="/docs/static/scalar.js"></script>
<script type="module" src="/docs/static/page.js"></script>
</body>
</html>
`;

/** The renderer, which its plugin for Fastify contains in one file. */
async function scalarScript(): Promise<string> {
  const server = Fastify();
  await server.register(scalar, { routePrefix: '/', configuration: { url: '/json' } });
  const { body } = await server.inject('/js/scalar.js');
  await server.close();
  return body.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
}

export async function writeReference(folder: string): Promise<void> {
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const audiences = ['developer', 'productionDeveloper', 'productionOperator', 'sandboxOperator'] as const;
  for (const audience of audiences) {
    const isOperator = /Operator$/.test(audience);
    await write(`${audience}.json`, JSON.stringify(openApiDocument(audience)));
    const address = isOperator ? urls.operator : urls.public;
    await write(
      `${audience}.html`,
      referencePage(`data-address="${address}"${audience === 'developer' ? ' data-tries' : ''}`),
    );
  }
  for (const guide of guides) await write(`guides/${guide.name}.html`, guidePage(guide));
  await write('problems.html', problemsPage());
  await write('static/page.css', pageStyle);
  await write('static/page.js', await readFile(join(import.meta.dirname, 'page.js'), 'utf8'));
  await write('static/scalar.js', await scalarScript());
  const license = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  await copyFile(join(dirname(license), '../LICENSE'), join(folder, 'static/scalar-license.txt'));
}
