import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { pageOf } from '@twinyard/service-kit';
import type { AuditRecord } from './audit-chain';
import type { AuditDetails } from './audit-fact';

export class AuditEntryDto implements AuditRecord {
  @ApiProperty({ format: 'uuid' }) readonly _id: string;
  @ApiProperty({ description: 'Epoch milliseconds at which it was done' }) readonly _at: number;
  @ApiProperty({ description: 'User or client; `anonymous` for who was not let in, the name of a service for its own work' }) readonly _byId: string;
  @ApiProperty({ example: 'CREATE', description: '`CREATE`, `UPDATE`, `DELETE`, or what was done else: `GRANT`, `REVOKE`, `SIGN_IN`, …' }) readonly _action: string;
  @ApiProperty({ example: 'filesvc:file:…' }) readonly _irn: string;
  @ApiProperty() readonly _namespace: string;
  @ApiProperty({ description: 'Where the request came from; empty for work that no request asked for' }) readonly _address: string;
  @ApiProperty({ description: '`X-Request-Id` of the request' }) readonly _requestId: string;
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'More about it, such as who was given what' }) readonly _details?: AuditDetails;
  @ApiProperty({ description: 'Place in the chain of the namespace, from 1 without gaps' }) readonly _sequence: number;
  @ApiProperty({ description: '`_hash` of the entry before it; zeros for the first' }) readonly _previousHash: string;
  @ApiProperty({ description: 'SHA-256, in hex, of the canonical JSON (RFC 8785) of all the other fields' }) readonly _hash: string;
}

export const AuditEntryPageDto = pageOf(AuditEntryDto);
