import { Global, Module } from '@nestjs/common';
import { AuditChainsRepository } from './audit-chains.repository';
import { AuditEntriesRepository } from './audit-entries.repository';
import { AuditLog } from './audit-log';
import { AuditPendingRepository } from './audit-pending.repository';
import { AuditPlaces } from './audit-places';
import { AuditPlacesRepository } from './audit-places.repository';
import { AuditController } from './audit.controller';
import { AuditEvents } from './audit.events';
import { Audit } from './audit.service';
import { ChainFollower } from './chain-follower';
import { SignInRecords } from './sign-in-records';

/** Who did what to which resource, from where and when. */
@Global()
@Module({
  controllers: [AuditController],
  providers: [
    Audit, AuditChainsRepository, AuditEntriesRepository, AuditEvents, AuditLog, AuditPendingRepository, AuditPlaces, AuditPlacesRepository, ChainFollower, SignInRecords,
  ],
  exports: [AuditLog, AuditPlaces, SignInRecords],
})
export class AuditModule {}
