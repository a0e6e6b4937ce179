import { Injectable } from '@nestjs/common';
import type { ApplicationOfNamespaceResponse, OriginsResponse, UsersResponse } from '@twinyard/auth';
import { displayNameOf } from '../users/user.entity';
import { UsersRepository } from '../users/users.repository';
import { NamespaceDirectoryRepository } from './namespace-directory.repository';

/** What the other services ask about people, origins and namespaces. */
@Injectable()
export class InternalDirectory {
  constructor(
    private readonly people: UsersRepository,
    private readonly namespaces: NamespaceDirectoryRepository,
  ) {}

  async users(ids: readonly string[]): Promise<UsersResponse> {
    const found = await this.people.findByIds(ids);
    const users = found.map((user) => ({
      id: user.id, name: displayNameOf(user), email: user.email, emailVerified: user.emailVerified, disabled: user.disabled,
      ...(user.locale !== null && { locale: user.locale }),
    }));
    return { users };
  }

  async origins(): Promise<OriginsResponse> {
    return { origins: await this.namespaces.registeredOrigins() };
  }

  async applicationsOf(namespaces: readonly string[]): Promise<ApplicationOfNamespaceResponse> {
    return { namespaces: await this.namespaces.applicationsOf(namespaces) };
  }
}
