import type { Frame } from './frame';
import { html } from './html';
import { layout } from './layout';

export interface ErrorPage {
  readonly title: string;
  readonly reason: string;
  /** For those who make the application: stays as it is in every language. */
  readonly code: string;
  /** Where the same can be asked for once more. */
  readonly again?: string | undefined;
}

export const errorPage = (frame: Frame, { title, reason, code, again }: ErrorPage): string =>
  layout(frame, title, html`<h1>${title}</h1>
    <p class="problem" role="alert">${reason}</p>
    <p class="lead">${frame.texts.errors.advice(html`<code>${code}</code>`)}</p>
    ${again !== undefined && html`<p class="actions"><a class="button" href="${again}">${frame.texts.errors.again}</a></p>`}`);

/** For the link of a mail that was used before, or is too old. */
export function invalidLinkPage(frame: Frame, code: string): string {
  const { linkTitle: title, link: reason } = frame.texts.errors;
  return errorPage(frame, { title, reason, code });
}
