import { csrfField, field, problemSummary, type Problems, strong } from '../form';
import type { Frame } from '../frame';
import { type Html, html } from '../html';
import { layout } from '../layout';

export interface SignInPage {
  /** Path of the sign-in under way; those of its other pages lie below it. */
  readonly path: string;
  readonly csrf: string;
  readonly application: string;
  readonly email: string;
  readonly problems: Problems;
  readonly alternatives: Html;
  readonly mayPerhapsSignUp: boolean;
  /** What an invitation says, where the sign-in is for one. */
  readonly banner?: Html | undefined;
}

export function signInPage(frame: Frame, { path, csrf, application, email, problems, alternatives, mayPerhapsSignUp, banner }: SignInPage): string {
  const { fields, page, signIn } = frame.texts;
  return layout(frame, signIn.title, html`<h1>${signIn.title}</h1>
    <p class="lead">${signIn.to(strong(application))}</p>
    ${banner}
    ${problemSummary(frame, problems)}
    <form method="post" action="${path}">
      ${csrfField(csrf)}
      ${field(frame, problems, { name: 'email', label: fields.email, type: 'email', value: email, autocomplete: 'username', hasFocus: email === '' })}
      ${field(frame, problems, { name: 'password', label: fields.password, type: 'password', autocomplete: 'current-password', hasFocus: email !== '' })}
      <p class="aside"><a href="${path}/reset">${signIn.forgotten}</a></p>
      <button type="submit">${page.signIn}</button>
    </form>
    ${alternatives.markup !== '' && html`<div class="alternatives"><p class="divider">${page.and}</p>${alternatives}</div>`}
    ${mayPerhapsSignUp && html`<p class="other-way">${signIn.noAccount} <a href="${path}/sign-up">${signIn.signUp}</a></p>`}`);
}
