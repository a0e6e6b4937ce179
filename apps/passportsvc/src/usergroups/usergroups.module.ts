import { Global, Module } from '@nestjs/common';
import { AdministeredNamespaces } from './administered-namespaces';
import { GroupLifecycle } from './group-lifecycle';
import { UserGroupMembersRepository } from './usergroup-members.repository';
import { UserGroupMembersService } from './usergroup-members.service';
import { UserGroupsController } from './usergroups.controller';
import { UserGroupsRepository } from './usergroups.repository';
import { UserGroupsService } from './usergroups.service';

@Global()
@Module({
  controllers: [UserGroupsController],
  providers: [AdministeredNamespaces, GroupLifecycle, UserGroupMembersRepository, UserGroupMembersService, UserGroupsRepository, UserGroupsService],
  exports: [AdministeredNamespaces, GroupLifecycle, UserGroupsService],
})
export class UserGroupsModule {}
