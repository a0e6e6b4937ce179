import { csrfField, notice, problemSummary, strong } from '../form';
import type { Frame } from '../frame';
import { type Html, html } from '../html';
import { layout } from '../layout';
import { type AskedAccount, newAccountFields } from '../new-account-fields';

export interface SignUpPage extends AskedAccount {
  readonly path: string;
  readonly csrf: string;
  readonly application: string;
  readonly isByInvitation: boolean;
  readonly banner?: Html | undefined;
}

export function signUpPage(frame: Frame, page: SignUpPage): string {
  const { signIn, signUp, page: around } = frame.texts;
  return layout(frame, signUp.title, html`<h1>${signUp.title}</h1>
    <p class="lead">${signIn.to(strong(page.application))}</p>
    ${page.banner}
    ${page.isByInvitation && html`<p class="notice">${signUp.byInvitation}</p>`}
    ${problemSummary(frame, page.problems)}
    <form method="post" action="${page.path}/sign-up">
      ${csrfField(page.csrf)}
      ${newAccountFields(frame, page)}
      <button type="submit">${signUp.submit}</button>
    </form>
    <p class="other-way">${signUp.haveAccount} <a href="${page.path}">${around.signIn}</a></p>`);
}

export interface WaitingPage {
  readonly path: string;
  readonly csrf: string;
  readonly email: string;
  /** Id of the account that waits for its address to be confirmed, and what shows that this browser made it. */
  readonly accountId: string;
  readonly proof: string;
  readonly isTooEarly: boolean;
}

/** The same whether an account was made or was there before. */
export function waitingPage(frame: Frame, { path, csrf, email, accountId, proof, isTooEarly }: WaitingPage): string {
  const { waiting } = frame.texts;
  return layout(frame, waiting.title, html`<h1>${waiting.title}</h1>
    <p class="lead">${waiting.lead(strong(email))}</p>
    ${isTooEarly && notice(waiting.notYet)}
    <form method="post" action="${path}/sign-up/confirmed">
      ${csrfField(csrf)}
      <input type="hidden" name="email" value="${email}">
      <input type="hidden" name="account" value="${accountId}">
      <input type="hidden" name="proof" value="${proof}">
      <button type="submit">${waiting.submit}</button>
    </form>
    <p class="small">${waiting.nothing}</p>
    <p class="other-way"><a href="${path}">${waiting.backToSignIn}</a></p>`);
}
