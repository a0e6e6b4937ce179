import { csrfField, notice, strong } from '../form';
import type { Frame } from '../frame';
import { type Html, html } from '../html';
import { layout } from '../layout';

export interface InvitePage {
  readonly path: string;
  readonly csrf: string;
  readonly inviter: string;
  readonly group: string;
  readonly email: string;
  /** A mail to confirm the address was just sent. */
  readonly isMailed: boolean;
}

/** Whether the person that is signed in takes up an invite to its confirmed address. */
export function invitePage(frame: Frame, page: InvitePage): string {
  const { invite } = frame.texts;
  return invitation(frame, page, html`<button type="submit" name="decision" value="accept">${invite.accept}</button>
      <button type="submit" name="decision" value="decline" class="quiet">${invite.decline}</button>
      <button type="submit" name="decision" value="later" class="plain">${invite.later}</button>`);
}

/** For the invited address as long as nobody has shown to read its mail. */
export function unconfirmedInvitePage(frame: Frame, page: InvitePage): string {
  const { invite, waiting } = frame.texts;
  const said = page.isMailed ? notice(invite.mailed(strong(page.email))) : html`<p>${invite.unconfirmed(strong(page.email))}</p>`;
  const asked = page.isMailed
    ? html`<button type="submit" name="decision" value="confirmed">${waiting.submit}</button>`
    : html`<button type="submit" name="decision" value="mail">${invite.sendMail}</button>`;
  return invitation(frame, page, html`${asked}<button type="submit" name="decision" value="later" class="quiet">${invite.later}</button>`, said);
}

function invitation(frame: Frame, { path, csrf, inviter, group, email }: InvitePage, buttons: Html, said?: Html): string {
  const { invite } = frame.texts;
  return layout(frame, invite.title(group), html`<h1>${invite.title(group)}</h1>
    <p class="lead">${invite.lead(strong(inviter), strong(group))} ${invite.as(strong(email))}</p>
    ${said}
    ${form(path, csrf, buttons)}`);
}

/** The browser's session is somebody else's than the invite. */
export function otherInvitePage(frame: Frame, { path, csrf, invited, email }: { readonly path: string; readonly csrf: string; readonly invited: string; readonly email: string }): string {
  const { invite } = frame.texts;
  return layout(frame, invite.otherTitle, html`<h1>${invite.otherTitle}</h1>
    <p class="lead">${invite.other(strong(invited), strong(email))}</p>
    ${form(path, csrf, html`<button type="submit" name="decision" value="later">${invite.goOn}</button>
      <button type="submit" name="decision" value="switch" class="quiet">${invite.otherAccount}</button>`)}`);
}

const form = (path: string, csrf: string, buttons: Html) => html`<form method="post" action="${path}/invite">
      ${csrfField(csrf)}
      ${buttons}
    </form>`;
