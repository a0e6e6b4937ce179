import { Global, Module } from '@nestjs/common';
import { AuditLog } from './audit-log';
import { AuditPendingRepository } from './audit-pending.repository';

@Global()
@Module({ providers: [AuditLog, AuditPendingRepository], exports: [AuditLog] })
export class AuditModule {}
