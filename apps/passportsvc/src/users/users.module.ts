import { Global, Module } from '@nestjs/common';
import { UsersController } from './users.controller';
import { UsersRepository } from './users.repository';
import { UsersService } from './users.service';

@Global()
@Module({ controllers: [UsersController], providers: [UsersRepository, UsersService], exports: [UsersRepository] })
export class UsersModule {}
