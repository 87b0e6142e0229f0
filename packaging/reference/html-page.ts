// The look of the pages under /docs that are text: that of the console, whose colors are in its theme.

export const pageStyle = `:root { color-scheme: light dark }
body { max-width: 45rem; margin: 2rem auto; padding: 0 1rem; font: 0.875rem/1.55 Inter, system-ui, sans-serif; background: light-dark(#f8f9fa, #14151a); color: light-dark(#1c2024, #e9ecef); overflow-wrap: anywhere }
a { color: light-dark(#087f66, #4fd1b0) }
h1 { font-size: 1.25rem }
h2 { margin-top: 2rem; border-top: 1px solid light-dark(#dfe2e6, #3b3f45); padding-top: 1rem; font-size: 1rem }
h2:target { border-top: 3px solid light-dark(#087f66, #4fd1b0) }
h3 { font-size: 0.875rem }
dt { color: light-dark(#59616a, #9aa0a6); font-size: 0.75rem }
dd { margin: 0 0 0.5rem }
code, pre { border-radius: 4px; background: light-dark(#eceef1, #2f3338); font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
code { padding: 0 0.25rem }
pre { padding: 0.75rem; overflow-x: auto; overflow-wrap: normal }
pre code { padding: 0 }
table { display: block; border-collapse: collapse; overflow-x: auto }
th, td { border: 1px solid light-dark(#dfe2e6, #3b3f45); padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; min-width: 5rem }
`;

/** `body` is HTML. */
export const htmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>OpenTill: ${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/static/page.css">
</head>
<body>
<nav><a href="/docs">Reference</a></nav>
<main>
${body}
</main>
</body>
</html>
`;
