import { Module } from '@nestjs/common';
import { PermissionProfilesController } from './permission-profiles.controller';
import { PermissionProfilesRepository } from './permission-profiles.repository';
import { PermissionProfilesService } from './permission-profiles.service';
import { ProfileGrants } from './profile-grants';

@Module({
  controllers: [PermissionProfilesController],
  providers: [PermissionProfilesRepository, PermissionProfilesService, ProfileGrants],
})
export class PermissionProfilesModule {}
