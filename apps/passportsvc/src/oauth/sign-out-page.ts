import { strong } from '../pages/form';
import type { Frame } from '../pages/frame';
import { html } from '../pages/html';
import { layout } from '../pages/layout';

export interface SignOutPage {
  readonly action: string;
  /** Of this browser's session, against forms of other sites. */
  readonly secret: string;
  /** The application that asks, where it has said who it is. */
  readonly application: string | undefined;
}

export function signOutPage(frame: Frame, { action, secret, application }: SignOutPage): string {
  const { signOut } = frame.texts;
  return layout(frame, signOut.title, html`<h1>${signOut.title}</h1>
    <p class="lead">${application === undefined ? signOut.lead : signOut.asked(strong(application))} ${signOut.stay}</p>
    <form method="post" action="${action}">
      <input type="hidden" name="xsrf" value="${secret}">
      <button type="submit" name="logout" value="yes">${frame.texts.account.signOut}</button>
    </form>`);
}

export function browserSignedOutPage(frame: Frame): string {
  const { signedOut } = frame.texts;
  return layout(frame, signedOut.title, html`<h1>${signedOut.title}</h1>
    <p class="lead" role="status">${signedOut.here}</p>`);
}
