import type { Frame } from './frame';
import { html } from './html';
import { layout } from './layout';

export interface ErrorPage {
  readonly title: string;
  readonly reason: string;
  /** For those who make the application: stays as it is in every language. */
  readonly code: string;
}

export const errorPage = (frame: Frame, { title, reason, code }: ErrorPage): string =>
  layout(frame, title, html`<h1>${title}</h1>
    <p class="problem" role="alert">${reason}</p>
    <p class="lead">${frame.texts.errors.advice(html`<code>${code}</code>`)}</p>`);

/** For the link of a mail that was used before, or is too old. */
export function invalidLinkPage(frame: Frame, code: string): string {
  const { linkTitle: title, link: reason } = frame.texts.errors;
  return errorPage(frame, { title, reason, code });
}
