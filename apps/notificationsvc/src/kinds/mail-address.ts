import { mailboxOf } from '@twinyard/conventions';
import type { DeviceBody } from './device.kind';

export interface AccountAddress {
  readonly email: string;
  readonly emailVerified: boolean;
}

/** What was no address of a mailbox when it was written stays as it is. */
const formOf = (address: string) => mailboxOf(address) ?? address;

export const isSameAddress = (one: string, other: string) => formOf(one) === formOf(other);

/** What counts as one mailbox for limits: also without what stands behind a plus sign, which most servers leave out. */
export function limitedMailbox(address: string): string {
  const form = formOf(address);
  const at = form.lastIndexOf('@');
  const local = form.slice(0, at);
  const plus = local.indexOf('+');
  return `${plus > 0 ? local.slice(0, plus) : local}${form.slice(at)}`;
}

/** Where mails to a device may go, when somebody who reads them has said so: to the account's address, or to one that its link has confirmed. */
export function confirmedAddress({ _email }: Pick<DeviceBody, '_email'>, { email, emailVerified }: AccountAddress): string | undefined {
  if (typeof _email?._confirmedAt === 'string') return _email._address;
  const isOwn = _email?._confirmedAt === undefined || isSameAddress(_email._address, email);
  return isOwn && emailVerified ? email : undefined;
}

/** Where the question goes whether it may be used. */
export const addressToConfirm = ({ _email }: Pick<DeviceBody, '_email'>, { email }: AccountAddress): string =>
  (_email?._confirmedAt === undefined ? email : _email._address);
