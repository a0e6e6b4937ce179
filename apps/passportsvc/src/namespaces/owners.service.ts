import { Injectable } from '@nestjs/common';
import { invalidField, isUuid } from '@twinyard/conventions';
import type { PrincipalRef } from '../permissions/permissions.repository';
import { toEmail, UsersRepository } from '../users/users.repository';
import type { Owner } from './owner';

/** Finds the person that an e-mail address or a user id names. An unknown address waits for somebody to sign up with it. */
@Injectable()
export class Owners {
  constructor(private readonly users: UsersRepository) {}

  async find(text: string, field: string): Promise<Owner> {
    const user = isUuid(text) ? await this.users.findById(text) : await this.users.findByEmail(text);
    if (user !== undefined) return { ownerId: user.id, pendingOwnerEmail: null };
    if (!text.includes('@')) throw invalidField(field, 'there is no such user');
    return { ownerId: null, pendingOwnerEmail: toEmail(text) };
  }
}

export const ownerRefs = ({ ownerId }: { readonly ownerId: string | null }): PrincipalRef[] => (ownerId === null ? [] : [{ type: 'user', id: ownerId }]);
export const ownerIds = ({ ownerId }: { readonly ownerId: string | null }): string[] => (ownerId === null ? [] : [ownerId]);
