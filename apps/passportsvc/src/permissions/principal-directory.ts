import { Injectable } from '@nestjs/common';
import { invalidField, isUuid } from '@twinyard/conventions';
import { DirectoryRepository } from './directory.repository';
import type { PrincipalRef } from './permissions.repository';

/** Whether a principal exists, so that nothing is granted to a misspelt id. */
@Injectable()
export class PrincipalDirectory {
  constructor(private readonly directory: DirectoryRepository) {}

  async require({ type, id }: PrincipalRef): Promise<void> {
    if (!(await this.exists({ type, id }))) throw invalidField('_user', `there is no ${type} ${JSON.stringify(id)}`);
  }

  private async exists({ type, id }: PrincipalRef): Promise<boolean> {
    switch (type) {
      case 'user': return isUuid(id) && this.directory.hasUser(id);
      case 'usergroup': return isUuid(id) && this.directory.hasUserGroup(id);
      case 'client': return this.directory.hasClient(id);
      case 'permprofile': return isUuid(id) && this.directory.hasProfile(id);
    }
  }
}
