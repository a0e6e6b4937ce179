import { field, type Problems } from './form';
import type { Frame } from './frame';
import { Html, html } from './html';

export interface NewAccount {
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string;
}

export interface AskedAccount extends NewAccount {
  readonly problems: Problems;
  /** The address is the one that was invited. */
  readonly isBound: boolean;
  /** Characters of a password. */
  readonly minLength: number;
}

/** What is asked of somebody who makes an account, wherever that is. */
export function newAccountFields(frame: Frame, { problems, isBound, email, firstname, lastname, minLength }: AskedAccount): Html {
  const { fields } = frame.texts;
  const names = [
    field(frame, problems, { name: 'firstname', label: fields.firstname, value: firstname, autocomplete: 'given-name', isOptional: true }),
    field(frame, problems, { name: 'lastname', label: fields.lastname, value: lastname, autocomplete: 'family-name', isOptional: true }),
  ];
  return Html.of([
    field(frame, problems, { name: 'email', label: fields.email, type: 'email', value: email, autocomplete: 'username', isFixed: isBound, hasFocus: email === '', ...(isBound && { hint: fields.boundHint }) }),
    field(frame, problems, { name: 'password', label: fields.password, type: 'password', autocomplete: 'new-password', hint: fields.passwordHint(minLength), hasFocus: email !== '' }),
    html`<div class="columns">${Html.of(names)}</div>`,
  ]);
}
