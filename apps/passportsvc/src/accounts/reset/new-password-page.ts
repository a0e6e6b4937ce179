import { field, problemSummary, type Problems, strong } from '../../pages/form';
import type { Frame } from '../../pages/frame';
import { type Html, html } from '../../pages/html';
import { layout } from '../../pages/layout';
import { ACCOUNT_PATH } from '../../oauth/oidc-clients';
import { PASSWORD_POLICY } from '../passwords';

export interface NewPassword {
  readonly email: string;
  readonly problems: Problems;
  /** What the button says. */
  readonly submit: string;
}

/** The address is in the form too, so that a password manager knows whose password it keeps. */
export function newPasswordForm(frame: Frame, { email, problems, submit }: NewPassword): Html {
  const { fields, reset } = frame.texts;
  return html`${problemSummary(frame, problems)}
    <form method="post">
      <input type="email" name="email" value="${email}" autocomplete="username" readonly hidden>
      ${field(frame, problems, { name: 'password', label: fields.newPassword, type: 'password', autocomplete: 'new-password', hint: fields.passwordHint(PASSWORD_POLICY.minLength), hasFocus: true })}
      <p class="small">${reset.consequence}</p>
      <button type="submit">${submit}</button>
    </form>`;
}

export function newPasswordPage(frame: Frame, email: string, problems: Problems): string {
  const { reset } = frame.texts;
  return layout(frame, reset.newTitle, html`<h1>${reset.newTitle}</h1>
    <p class="lead">${reset.newLead(strong(email))}</p>
    ${newPasswordForm(frame, { email, problems, submit: reset.set })}`);
}

export function passwordSetPage(frame: Frame): string {
  const { page, reset } = frame.texts;
  return layout(frame, reset.doneTitle, html`<h1>${reset.doneTitle}</h1>
    <p class="lead" role="status">${reset.done}</p>
    <p class="actions"><a class="button" href="${ACCOUNT_PATH}">${page.signIn}</a></p>`);
}
