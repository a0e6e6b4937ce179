import { Global, Module } from '@nestjs/common';
import { Configurations } from './configurations.service';
import { NamespacesRepository } from './namespaces.repository';
import { Namespaces } from './namespaces.service';
import { Owners } from './owners.service';
import { ParentsRepository } from './parents.repository';
import { Parents } from './parents.service';

/** `PermissionsRepository` comes from the global permissions module. */
@Global()
@Module({
  providers: [Configurations, Namespaces, NamespacesRepository, Owners, Parents, ParentsRepository],
  exports: [Configurations, Namespaces, NamespacesRepository, Owners, Parents, ParentsRepository],
})
export class NamespacesModule {}
