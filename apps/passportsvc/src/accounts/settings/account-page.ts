import { csrfField, field, notice, problemSummary, type Problems } from '../../pages/form';
import type { Frame } from '../../pages/frame';
import { Html, html } from '../../pages/html';
import { layout } from '../../pages/layout';
import { LANGUAGES } from '../../pages/texts/language';
import { type Texts, TEXTS } from '../../pages/texts';
import type { UserEntity } from '../../users/user.entity';
import { PASSWORD_POLICY } from '../passwords';
import { type AccessKeyPart, accessKeyPart } from './access-key-part';
import type { AccountPlace } from './account-place';
import type { Profile } from './account-settings.service';

export type Done = keyof Texts['account']['done'];

export interface AccountPage {
  readonly place: AccountPlace;
  readonly csrf: string;
  readonly user: UserEntity;
  /** As it was entered, or is. */
  readonly profile: Profile;
  readonly accessKeys: AccessKeyPart;
  /** What other rooms show. */
  readonly providers: Html;
  readonly problems: Problems;
  readonly done: Done | undefined;
}

export function accountPage(frame: Frame, page: AccountPage): string {
  const { account } = frame.texts;
  return layout(frame, account.title, html`<div class="title-row"><h1>${account.title}</h1>${backLink(frame, page)}</div>
    ${page.done !== undefined && notice(account.done[page.done])}
    ${problemSummary(frame, page.problems)}
    ${profileSection(frame, page)}
    ${addressSection(frame, page)}
    ${passwordSection(frame, page)}
    ${page.providers}
    ${section('keys', account.keys, accessKeyPart(frame, page.accessKeys, page.problems, (part, content) => form(page, part, content)))}
    ${sessionSection(frame, page)}`, 'wide');
}

export function accountSignInPage(frame: Frame, signIn: string): string {
  const { account, page } = frame.texts;
  return layout(frame, account.title, html`<h1>${account.title}</h1>
    <p class="lead">${account.signInLead}</p>
    <p class="actions"><a class="button" href="${signIn}">${page.signIn}</a></p>`);
}

export function signedOutPage(frame: Frame, place: AccountPlace, isEverywhere: boolean): string {
  const { account, signedOut } = frame.texts;
  const { returnUrl } = place;
  return layout(frame, signedOut.title, html`<h1>${signedOut.title}</h1>
    <p class="lead" role="status">${isEverywhere ? signedOut.everywhere : signedOut.here}</p>
    ${returnUrl !== undefined && html`<p class="actions"><a class="button" href="${returnUrl}">${account.back(new URL(returnUrl).host)}</a></p>`}
    <p class="actions"><a class="button quiet" href="${place.here()}">${signedOut.again}</a></p>`);
}

function backLink({ texts }: Frame, { place: { returnUrl } }: AccountPage): Html | undefined {
  return returnUrl === undefined ? undefined : html`<a class="back" href="${returnUrl}">${texts.account.back(new URL(returnUrl).host)}</a>`;
}

function profileSection(frame: Frame, page: AccountPage): Html {
  const { account, fields } = frame.texts;
  const { profile, problems } = page;
  const names = [
    field(frame, problems, { name: 'firstname', label: fields.firstname, value: profile.firstname, autocomplete: 'given-name', isOptional: true }),
    field(frame, problems, { name: 'lastname', label: fields.lastname, value: profile.lastname, autocomplete: 'family-name', isOptional: true }),
  ];
  return section('profile', account.profile, html`${form(page, 'profile', html`<div class="columns">${Html.of(names)}</div>
      <div class="field">
        <label for="locale">${fields.locale}</label>
        <select id="locale" name="locale" autocomplete="language">${localeOptions(frame, page)}</select>
      </div>
      <button type="submit">${account.save}</button>`)}`);
}

/** A language that we have no texts in, which an application may have set, stays to be chosen. */
function localeOptions({ texts }: Frame, { profile: { locale }, user }: AccountPage): Html {
  const known: readonly string[] = LANGUAGES;
  const others = user.locale === null || known.includes(user.locale) ? [] : [user.locale];
  const option = (value: string, label: string, lang?: string) => html`<option value="${value}"${lang !== undefined && html` lang="${lang}"`}${value === (locale ?? '') && html` selected`}>${label}</option>`;
  return Html.of([option('', texts.account.noLocale), ...LANGUAGES.map((language) => option(language, TEXTS[language].page.language, language)), ...others.map((other) => option(other, other))]);
}

function addressSection(frame: Frame, page: AccountPage): Html {
  const { account } = frame.texts;
  const { email, emailVerified } = page.user;
  return section('address', account.address, html`<p class="fact"><span>${email}</span> <span class="${emailVerified ? 'tag' : 'tag warning'}">${emailVerified ? account.confirmed : account.unconfirmed}</span></p>
    ${!emailVerified && form(page, 'confirmation', html`<button type="submit" class="quiet">${account.confirmAgain}</button>`)}`);
}

function passwordSection(frame: Frame, page: AccountPage): Html {
  const { account, fields } = frame.texts;
  const { user, problems } = page;
  if (user.passwordHash === null) return section('password-section', account.password, html`<p>${account.noPassword}</p>`);
  return section('password-section', account.password, form(page, 'password', html`<input type="email" name="email" value="${user.email}" autocomplete="username" readonly hidden>
      ${field(frame, problems, { name: 'current', label: fields.currentPassword, type: 'password', autocomplete: 'current-password' })}
      ${field(frame, problems, { name: 'password', label: fields.newPassword, type: 'password', autocomplete: 'new-password', hint: fields.passwordHint(PASSWORD_POLICY.minLength) })}
      <p class="small">${account.passwordConsequence}</p>
      <button type="submit">${account.changePassword}</button>`));
}

function sessionSection(frame: Frame, page: AccountPage): Html {
  const { account } = frame.texts;
  return section('sessions', account.sessions, html`<p>${account.sessionsLead}</p>
    <div class="buttons">${form(page, 'sign-out-everywhere', html`<button type="submit" class="danger">${account.signOutEverywhere}</button>`)}
    ${form(page, 'sign-out', html`<button type="submit" class="quiet">${account.signOut}</button>`)}</div>`);
}

const section = (id: string, title: string, content: Html): Html => html`<section aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${content}</section>`;

const form = ({ place, csrf }: AccountPage, part: string, content: Html): Html => html`<form method="post" action="${place.part(part)}">${csrfField(csrf)}${content}</form>`;
