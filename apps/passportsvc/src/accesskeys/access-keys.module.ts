import { Global, Module } from '@nestjs/common';
import { AccessKeysController } from './access-keys.controller';
import { AccessKeysRepository } from './access-keys.repository';
import { AccessKeys } from './access-keys.service';

@Global()
@Module({ controllers: [AccessKeysController], providers: [AccessKeys, AccessKeysRepository], exports: [AccessKeys] })
export class AccessKeysModule {}
