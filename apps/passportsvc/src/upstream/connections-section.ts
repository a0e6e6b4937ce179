import type { Connection } from '../identityproviders/user-identities.repository';
import { ACCOUNT_PATH } from '../oauth/oidc-clients';
import { csrfField } from '../pages/form';
import { Html, html } from '../pages/html';
import type { AccountPart } from '../pages/page-slots';
import { UPSTREAM_TEXTS } from './upstream-texts';

export const DISCONNECT_PATH = `${ACCOUNT_PATH}/connections/disconnect`;

/** Nothing for somebody who signs in by password alone. */
export function connectionsSection({ frame, csrf }: AccountPart, connections: readonly Connection[], isRemovable: boolean): Html {
  if (connections.length === 0) return new Html('');
  const texts = UPSTREAM_TEXTS[frame.language];
  const day = (date: Date) => new Intl.DateTimeFormat(frame.language, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
  const rows = connections.map(({ providerId, providerName, subject, createdAt }) => html`<li>
        <div><strong>${providerName}</strong><span class="small">${texts.since(day(createdAt))}</span></div>
        ${isRemovable && html`<form method="post" action="${DISCONNECT_PATH}${queryOf(frame.here)}">${csrfField(csrf)}
          <input type="hidden" name="provider" value="${providerId}"><input type="hidden" name="subject" value="${subject}">
          <button type="submit" class="danger" aria-label="${texts.disconnectNamed(providerName)}">${texts.disconnect}</button></form>`}
      </li>`);
  return html`<section aria-labelledby="connections-title"><h2 id="connections-title">${texts.connected}</h2><p>${texts.connectedLead}</p>
    <ul class="rows">${Html.of(rows)}</ul>${!isRemovable && html`<p class="small">${texts.onlyWay}</p>`}</section>`;
}

/** The way back and the chosen language, which the account page brings along. */
const queryOf = (here = '') => (here.includes('?') ? here.slice(here.indexOf('?')) : '');
