import { csrfField, field, problemSummary, type Problems, strong } from '../pages/form';
import type { Frame } from '../pages/frame';
import { Html, html } from '../pages/html';
import { layout } from '../pages/layout';
import type { UpstreamTexts } from './upstream-texts';

/** What all pages of an upstream sign-in know. */
export interface UpstreamView {
  readonly frame: Frame;
  readonly texts: UpstreamTexts;
  /** Path of the sign-in under way. */
  readonly path: string;
  readonly csrf: string;
}

/** Ways to sign in through organizations, below the form of the sign-in page. */
export function alternativesBlock({ texts, path, csrf, frame }: UpstreamView, providers: readonly { readonly id: string; readonly name: string }[], asksAddress: boolean): Html {
  const buttons = providers.map(({ id, name }) => html`<a class="button quiet" href="${path}/upstream/${id}">${texts.with(name)}</a>`);
  const byAddress = html`<details class="by-address"><summary>${texts.byAddress}</summary>
      <form method="post" action="${path}/upstream">
        ${csrfField(csrf)}
        ${field(frame, {}, { name: 'address', label: texts.address, type: 'email', autocomplete: 'username' })}
        <button type="submit" class="quiet">${texts.goOn}</button>
      </form></details>`;
  return Html.of([...buttons, ...(asksAddress ? [byAddress] : [])]);
}

/** A form must not end at another origin than the page's policy names, so this page leads there in its stead. */
export function leavingPage({ frame, texts, path }: UpstreamView, { id, name }: { readonly id: string; readonly name: string }): string {
  const target = `${path}/upstream/${id}`;
  return layout(frame, texts.leavingTitle, html`<meta http-equiv="refresh" content="0;url=${target}">
    <h1>${texts.leavingTitle}</h1>
    <p class="lead">${texts.leaving(strong(name))}</p>
    <p><a class="button" href="${target}">${texts.goOn}</a></p>`);
}

export interface AskPage {
  /** Path of this attempt. */
  readonly action: string;
  readonly provider: string;
  readonly email: string;
  readonly problems: Problems;
}

/** The same whether or not the account has a password: an issuer may not learn that. */
export function askPage({ frame, texts, path, csrf }: UpstreamView, { action, provider, email, problems }: AskPage): string {
  return layout(frame, texts.askTitle, html`<h1>${texts.askTitle}</h1>
    <p class="lead">${texts.ask(strong(provider), strong(email))} ${texts.consequence(provider)}</p>
    ${problemSummary(frame, problems)}
    <h2>${texts.byPassword}</h2>
    <form method="post" action="${action}/password">
      ${csrfField(csrf)}
      <input type="hidden" name="username" value="${email}" autocomplete="username">
      ${field(frame, {}, { name: 'password', label: texts.password, type: 'password', autocomplete: 'current-password' })}
      <button type="submit">${texts.agree}</button>
    </form>
    <h2>${texts.byMail}</h2>
    <form method="post" action="${action}/mail">
      ${csrfField(csrf)}
      <p>${texts.mail(strong(email))}</p>
      <button type="submit" class="quiet">${texts.sendMail}</button>
    </form>
    <p class="other-way"><a href="${path}">${texts.back}</a></p>`);
}

export const mailedPage = ({ frame, texts, path }: UpstreamView, email: string): string =>
  layout(frame, texts.mailedTitle, html`<h1>${texts.mailedTitle}</h1>
    <p class="lead" role="status">${texts.mailed(strong(email))}</p>
    <p class="other-way"><a href="${path}">${texts.back}</a></p>`);

/** Asks once more: programs that look through mails open every link in them. */
export const confirmPage = ({ frame, texts, csrf }: UpstreamView, { action, provider, email }: Omit<AskPage, 'problems'>): string =>
  layout(frame, texts.confirmTitle, html`<h1>${texts.confirmTitle}</h1>
    <p class="lead">${texts.confirm(strong(provider), strong(email))}</p>
    <form method="post" action="${action}">${csrfField(csrf)}<button type="submit">${texts.agree}</button></form>`);

/** Nothing is lost: the sign-in page is a link away. */
export const failurePage = ({ frame, texts, path }: UpstreamView, reason: string): string =>
  layout(frame, texts.failedTitle, html`<h1>${texts.failedTitle}</h1>
    <p class="problem" role="alert">${reason}</p>
    <p><a class="button quiet" href="${path}">${texts.back}</a></p>`);
