import { Global, Module } from '@nestjs/common';
import { ProvisionedUsers } from './provisioned-users.repository';

@Global()
@Module({ providers: [ProvisionedUsers], exports: [ProvisionedUsers] })
export class ScimModule {}
