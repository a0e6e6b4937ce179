import { Global, Module } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module';
import { UsersModule } from '../users/users.module';
import { DirectoryRepository } from './directory.repository';
import { GrantResolver } from './grant-resolver';
import { OwnLease } from './own-lease';
import { PermissionChecks } from './permission-checks.service';
import { PermissionsController } from './permissions.controller';
import { PermissionsRepository } from './permissions.repository';
import { PermissionsService } from './permissions.service';
import { PrincipalDirectory } from './principal-directory';
import { UserGroupPermissionsController } from './usergroup-permissions.controller';

@Global()
@Module({
  imports: [SessionsModule, UsersModule],
  controllers: [PermissionsController, UserGroupPermissionsController],
  providers: [DirectoryRepository, GrantResolver, OwnLease, PermissionChecks, PermissionsRepository, PermissionsService, PrincipalDirectory],
  exports: [GrantResolver, OwnLease, PermissionsRepository],
})
export class PermissionsModule {}
