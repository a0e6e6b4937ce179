import { Global, Module } from '@nestjs/common';
import { AddressHolders } from './address-holders';
import { UsersController } from './users.controller';
import { UsersRepository } from './users.repository';
import { UsersService } from './users.service';

@Global()
@Module({ controllers: [UsersController], providers: [AddressHolders, UsersRepository, UsersService], exports: [AddressHolders, UsersRepository] })
export class UsersModule {}
