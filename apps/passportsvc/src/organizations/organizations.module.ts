import { Global, Module } from '@nestjs/common';
import { OrganizationConfigurationsController } from './organization-configurations.controller';
import { OrganizationsController } from './organizations.controller';
import { OrganizationsRepository } from './organizations.repository';
import { OrganizationsService } from './organizations.service';
import { PendingOwners } from './pending-owners';

@Global()
@Module({
  controllers: [OrganizationConfigurationsController, OrganizationsController],
  providers: [OrganizationsRepository, OrganizationsService, PendingOwners],
  exports: [OrganizationsService, PendingOwners],
})
export class OrganizationsModule {}
