import type { Frame } from './frame';
import { Html, html } from './html';
import { type Language, LANGUAGES } from './texts/language';
import { TEXTS } from './texts';

const STYLESHEET_PATH = '/passportsvc/pages/pages.css';
const PLATFORM = 'Twinyard';

/** `wide`: for pages with several sections. */
export function layout(frame: Frame, title: string, content: Html, shape: 'narrow' | 'wide' = 'narrow'): string {
  return html`<!DOCTYPE html>
<html lang="${frame.language}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="robots" content="noindex">
  <title>${title} · ${PLATFORM}</title>
  <link rel="stylesheet" href="${STYLESHEET_PATH}">
</head>
<body class="${shape}">
  <header><p class="brand">${MARK}${PLATFORM}</p></header>
  <main>
    ${content}
  </main>
  ${frame.here !== undefined && footer(frame, frame.here)}
</body>
</html>
`.markup;
}

/** Two plots of a yard, one the other's twin. */
const MARK = new Html(`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><path class="plot" d="M4 9 15 3v20L4 29z"/><path class="twin" d="M17 9 28 3v20l-11 6z"/></svg>`);

function footer({ language, texts }: Frame, here: string): Html {
  const links = LANGUAGES.map((other) => (other === language ? html`<li><span aria-current="true">${nameOf(other)}</span></li>` : html`<li><a href="${inLanguage(here, other)}" lang="${other}" hreflang="${other}">${nameOf(other)}</a></li>`));
  return html`<footer><nav aria-label="${texts.page.languages}"><ul>${Html.of(links)}</ul></nav></footer>`;
}

const nameOf = (language: Language) => TEXTS[language].page.language;

function inLanguage(here: string, language: Language): string {
  const url = new URL(here, 'http://page');
  url.searchParams.set('ui_locales', language);
  return url.pathname + url.search;
}
