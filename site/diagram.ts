// Renders a Mermaid diagram to SVG at build time, in the colors of the page.

import { renderMermaidSVG } from 'beautiful-mermaid';

/** The width that fits a page without scrolling is 688 px. */
const options = { transparent: true, padding: 1, bg: 'var(--vp-c-bg)', fg: 'var(--vp-c-text-1)' };

/** @throws for a diagram without `accTitle` and `accDescr`, Mermaid's own text alternative, or one that is invalid */
export function diagramSvg(source: string): string {
  const [title, description] = ['accTitle', 'accDescr'].map((name) => {
    const [, text] = new RegExp(`^\\s*${name}: (.+)$`, 'm').exec(source) ?? [];
    if (text === undefined) throw new Error(`expected a line "${name}: ..." in a diagram, got\n${source}`);
    return escaped(text);
  });
  const svg = renderMermaidSVG(source.replaceAll(/^\s*acc(?:Title|Descr): .*\n/gm, ''), options);
  // The style of the page replaces that of the diagram, which loads fonts from elsewhere.
  return svg
    .replace(/<style>[\s\S]*?<\/style>\n?/, '')
    .replace(
      /^<svg [^>]*>/,
      (tag) => `${tag.slice(0, -1)} role="img"><title>${title}</title><desc>${description}</desc>`,
    );
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
