import { Injectable } from '@nestjs/common';
import { isUuid } from '@twinyard/conventions';
import type { UserEntity } from './user.entity';
import { toEmail, UsersRepository } from './users.repository';

/**
 * Anybody can sign up with anybody's address. So what is given to an address is for the account that has shown to read its mail, and
 * for no other: the one rule by which an address is turned into rights.
 */
export const isProvenHolder = ({ email, emailVerified }: Pick<UserEntity, 'email' | 'emailVerified'>, address: string): boolean =>
  emailVerified && email === toEmail(address);

@Injectable()
export class AddressHolders {
  constructor(private readonly users: UsersRepository) {}

  /** `undefined`: nobody has the address, or who has it has not confirmed it. */
  async find(address: string): Promise<UserEntity | undefined> {
    const user = await this.users.findByEmail(address);
    return user !== undefined && isProvenHolder(user, address) ? user : undefined;
  }

  /** Whom a user id or an address names; of an address its proven holder. */
  findNamed(idOrAddress: string): Promise<UserEntity | undefined> {
    return isUuid(idOrAddress) ? this.users.findById(idOrAddress) : this.find(idOrAddress);
  }
}
