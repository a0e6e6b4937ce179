import { Global, Module } from '@nestjs/common';
import { ClientsController } from './clients.controller';
import { ClientsService } from './clients.service';
import { KnownClients } from './known-clients';

@Global()
@Module({ controllers: [ClientsController], providers: [ClientsService, KnownClients], exports: [KnownClients] })
export class ClientsModule {}
