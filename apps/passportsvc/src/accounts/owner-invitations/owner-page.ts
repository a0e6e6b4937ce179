import { ACCOUNT_PATH } from '../../oauth/oidc-clients';
import { problemSummary, type Problems, strong } from '../../pages/form';
import type { Frame } from '../../pages/frame';
import { html } from '../../pages/html';
import { layout } from '../../pages/layout';
import { type AskedAccount, newAccountFields } from '../../pages/new-account-fields';
import { newPasswordForm } from '../reset/new-password-page';
import type { OwnerInvitation } from './owner-mails';

export function newOwnerPage(frame: Frame, place: string, asked: AskedAccount): string {
  const { owner, signUp } = frame.texts;
  return layout(frame, owner.title, html`<h1>${owner.title}</h1>
    <p class="lead">${owner.lead(strong(place))}</p>
    ${problemSummary(frame, asked.problems)}
    <form method="post">
      ${newAccountFields(frame, asked)}
      <button type="submit">${signUp.submit}</button>
    </form>`);
}

/** There is an account with the address, and it is proved. */
export function claimPage(frame: Frame, place: string, email: string): string {
  const { owner } = frame.texts;
  return layout(frame, owner.claimTitle, html`<h1>${owner.claimTitle}</h1>
    <p class="lead">${owner.lead(strong(place))} ${owner.claim(strong(email))}</p>
    <form method="post"><button type="submit">${owner.accept}</button></form>`);
}

/** Somebody has made an account with the address and not confirmed it: perhaps somebody else. */
export function takeOverPage(frame: Frame, { place, email }: OwnerInvitation, problems: Problems): string {
  const { owner } = frame.texts;
  return layout(frame, owner.claimTitle, html`<h1>${owner.claimTitle}</h1>
    <p class="lead">${owner.lead(strong(place))} ${owner.takeOver(strong(email))}</p>
    ${newPasswordForm(frame, { email, problems, submit: owner.accept })}`);
}

export function welcomePage(frame: Frame, place: string): string {
  const { owner, page } = frame.texts;
  return layout(frame, owner.doneTitle, html`<h1>${owner.doneTitle}</h1>
    <p class="lead" role="status">${owner.done(strong(place))}</p>
    <p class="actions"><a class="button" href="${ACCOUNT_PATH}">${page.signIn}</a></p>`);
}
