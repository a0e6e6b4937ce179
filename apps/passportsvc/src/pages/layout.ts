import { type Html, html } from './html';

const STYLESHEET_PATH = '/passportsvc/pages/pages.css';

export function layout(title: string, content: Html): string {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${title} · Twinyard</title>
  <link rel="stylesheet" href="${STYLESHEET_PATH}">
</head>
<body>
  <main>
    <p class="brand"><span class="mark" aria-hidden="true"></span>Twinyard</p>
    ${content}
  </main>
</body>
</html>
`.markup;
}
