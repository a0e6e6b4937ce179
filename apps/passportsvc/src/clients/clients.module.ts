import { Global, Module } from '@nestjs/common';
import { ClientJournal } from './client-journal';
import { ClientsController } from './clients.controller';
import { ClientsService } from './clients.service';
import { KnownClients } from './known-clients';

@Global()
@Module({ controllers: [ClientsController], providers: [ClientJournal, ClientsService, KnownClients], exports: [KnownClients] })
export class ClientsModule {}
