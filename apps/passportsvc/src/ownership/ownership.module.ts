import { Global, Module } from '@nestjs/common';
import { LivingOwners } from './living-owners';
import { OwnershipRepository } from './ownership.repository';

@Global()
@Module({ providers: [LivingOwners, OwnershipRepository], exports: [LivingOwners, OwnershipRepository] })
export class OwnershipModule {}
