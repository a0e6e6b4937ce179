import { Module } from '@nestjs/common';
import { OauthModule } from '../oauth/oauth.module';
import { PermissionProfilesModule } from '../permissionprofiles/permission-profiles.module';
import { PermissionsModule } from '../permissions/permissions.module';
import { SecretsModule } from '../secrets/secrets.module';
import { UsersModule } from '../users/users.module';
import { InternalController } from './internal.controller';
import { InternalDirectory } from './internal-directory';
import { NamespaceDirectoryRepository } from './namespace-directory.repository';

@Module({
  imports: [OauthModule, PermissionProfilesModule, PermissionsModule, SecretsModule, UsersModule],
  controllers: [InternalController],
  providers: [InternalDirectory, NamespaceDirectoryRepository],
})
export class InternalModule {}
