import { Global, Module } from '@nestjs/common';
import { ReadOnlyController } from './discovery/read-only.controller';
import { ScimDiscoveryController } from './discovery/scim-discovery.controller';
import { ProvisionedUsers } from './provisioned-users.repository';
import { ScimJournal } from './users/scim-journal';
import { ScimUsersController } from './users/scim-users.controller';
import { ScimUsersRepository } from './users/scim-users.repository';
import { ScimUsers } from './users/scim-users.service';
import { UserRemoval } from './users/user-removal';

/** SCIM 2.0 (RFC 7643, RFC 7644): identity providers of organizations keep their users here. */
@Global()
@Module({
  controllers: [ScimUsersController, ScimDiscoveryController, ReadOnlyController],
  providers: [ProvisionedUsers, ScimJournal, ScimUsers, ScimUsersRepository, UserRemoval],
  exports: [ProvisionedUsers],
})
export class ScimModule {}
