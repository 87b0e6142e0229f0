// The settings of VitePress. site/build.ts writes the pages and the sidebar before it starts VitePress.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type MarkdownRenderer } from 'vitepress';
import { diagramSvg } from '../diagram.ts';

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export default defineConfig({
  title: 'OpenTill',
  description: 'An open-source in-app purchase server',
  srcDir: inRoot('dist/pages'),
  outDir: inRoot('dist/site'),
  cacheDir: inRoot('node_modules/.cache/vitepress'),
  // The index of all pages, which a reader loads with the first search, is larger than the default.
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  themeConfig: {
    sidebar: JSON.parse(readFileSync(inRoot('dist/pages/sidebar.json'), 'utf8')),
    outline: [2, 3],
    search: { provider: 'local' },
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: configureMarkdown,
  },
});

function configureMarkdown(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token?.info !== 'mermaid') return fence?.(tokens, index, ...rest) ?? '';
    return `<div class="diagram" tabindex="0" v-pre>${diagramSvg(token.content)}</div>\n`;
  };
  md.core.ruler.push('tables-without-headings', ({ tokens }) => removeEmptyHeadings(tokens));
}

/** Markdown has no table without headings: they are empty instead, which a reader of the page would notice. */
function removeEmptyHeadings(tokens: { type: string; content: string }[]): void {
  for (let start = tokens.length - 1; start >= 0; start -= 1) {
    if (tokens[start]?.type !== 'thead_open') continue;
    const end = tokens.findIndex(({ type }, index) => index > start && type === 'thead_close');
    const isEmpty = tokens.slice(start, end).every(({ content }) => content === '');
    if (isEmpty) tokens.splice(start, end - start + 1);
  }
}
