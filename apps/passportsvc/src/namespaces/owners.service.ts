import { Injectable } from '@nestjs/common';
import { invalidField, mailboxOf } from '@twinyard/conventions';
import type { EventOrigin } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { OwnerMails } from '../accounts/owner-invitations/owner-mails';
import type { PrincipalRef } from '../permissions/permissions.repository';
import { AddressHolders } from '../users/address-holders';
import type { Owner } from './owner';

/** Finds the person that an e-mail address or a user id names. An address that nobody has proved waits for somebody who does. */
@Injectable()
export class Owners {
  constructor(
    private readonly holders: AddressHolders,
    private readonly mails: OwnerMails,
  ) {}

  async find(text: string, field: string): Promise<Owner> {
    const user = await this.holders.findNamed(text);
    if (user !== undefined) return { ownerId: user.id, pendingOwnerEmail: null };
    const address = mailboxOf(text);
    if (address === undefined) throw invalidField(field, text.includes('@') ? 'must be an e-mail address' : 'there is no such user');
    return { ownerId: null, pendingOwnerEmail: address };
  }

  /** Lets an owner whose address is not proved know, with what was made for it. */
  async invite(tx: TypeOrmTx, { name, pendingOwnerEmail }: { readonly name: string; readonly pendingOwnerEmail: string | null }, by: EventOrigin): Promise<void> {
    if (pendingOwnerEmail !== null) await this.mails.invite(tx, { email: pendingOwnerEmail, place: name }, by);
  }
}

export const ownerRefs = ({ ownerId }: { readonly ownerId: string | null }): PrincipalRef[] => (ownerId === null ? [] : [{ type: 'user', id: ownerId }]);
export const ownerIds = ({ ownerId }: { readonly ownerId: string | null }): string[] => (ownerId === null ? [] : [ownerId]);
