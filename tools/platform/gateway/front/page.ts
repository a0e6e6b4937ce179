import MarkdownIt from 'markdown-it';

/** Paths of the gateway's own files. The style sheet of all pages is passportsvc's, which has the most of them. */
export const FRONT_CSS = '/front/front.css';
export const PLAN = '/front/plan.svg';
export const FAVICONS = ['/favicon.svg', '/favicon.ico'] as const;
const PAGES_CSS = '/passportsvc/pages/pages.css';

/** No script, and nothing from elsewhere. */
const SECURITY_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': SECURITY_POLICY, 'X-Content-Type-Options': 'nosniff', 'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-cache',
} as const;

export const { escapeHtml } = new MarkdownIt().utils;

const MARK = '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><path class="plot" d="M4 9 15 3v20L4 29z"/><path class="twin" d="M17 9 28 3v20l-11 6z"/></svg>';

/** `title` is HTML. */
export const head = (title: string, stylesheets: readonly string[]): string => `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${title}</title>
  <link rel="icon" href="${FAVICONS[0]}" type="image/svg+xml">
${stylesheets.map((path) => `  <link rel="stylesheet" href="${path}">`).join('\n')}
</head>`;

/** `title` and `content` are HTML. */
export const page = (title: string, content: string): string => `${head(title, [PAGES_CSS, FRONT_CSS])}
<body class="wide">
  <header><p class="brand"><a href="/">${MARK}Twinyard</a></p></header>
  <main>
${content}
  </main>
</body>
</html>
`;
