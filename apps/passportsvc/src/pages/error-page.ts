import { html } from './html';
import { layout } from './layout';

export interface ErrorPage {
  readonly title: string;
  readonly reason: string;
  readonly code: string;
}

export const errorPage = ({ title, reason, code }: ErrorPage): string =>
  layout(title, html`<h1>${title}</h1>
    <p class="problem" role="alert">${reason}</p>
    <p class="lead">Go back to the application that you came from and try again. If that does not help, tell its makers: <code>${code}</code></p>`);
