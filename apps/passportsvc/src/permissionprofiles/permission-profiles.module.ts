import { Module } from '@nestjs/common';
import { AssignableProfiles } from './assignable-profiles';
import { PermissionProfilesController } from './permission-profiles.controller';
import { PermissionProfilesRepository } from './permission-profiles.repository';
import { PermissionProfilesService } from './permission-profiles.service';
import { ProfileGrants } from './profile-grants';

@Module({
  controllers: [PermissionProfilesController],
  providers: [AssignableProfiles, PermissionProfilesRepository, PermissionProfilesService, ProfileGrants],
  exports: [AssignableProfiles],
})
export class PermissionProfilesModule {}
