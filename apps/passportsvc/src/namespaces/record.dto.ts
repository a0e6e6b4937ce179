import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type Authored, formatIrn, toMetadata } from '@twinyard/conventions';
import { MetadataDto } from '@twinyard/service-kit';

/** What organizations, applications, workspaces and user groups have in common: each owns a namespace. */
export class RecordDto {
  @ApiProperty({ description: 'A UUID; of an application also its OAuth `client_id`' })
  readonly _id: string;

  @ApiProperty({ example: 'passportsvc:workspace:<_id>' })
  readonly _irn: string;

  @ApiProperty()
  readonly _name: string;

  @ApiProperty()
  readonly _shortName: string;

  @ApiProperty()
  readonly _description: string;

  @ApiPropertyOptional()
  readonly _userType?: string;

  @ApiProperty({ type: [String], description: 'The namespace that it owns' })
  readonly _namespaces: string[];

  @ApiProperty({ type: MetadataDto })
  readonly _metadata: MetadataDto;
}

interface NamespaceRecord extends Authored {
  readonly id: string;
  readonly name: string;
  readonly shortName: string;
  readonly description: string;
  readonly userType: string | null;
  readonly namespace: string;
}

export const toRecordDto = (type: 'app' | 'organization' | 'usergroup' | 'workspace', record: NamespaceRecord): RecordDto => ({
  _id: record.id,
  _irn: formatIrn('passportsvc', type, record.id),
  _name: record.name,
  _shortName: record.shortName,
  _description: record.description,
  ...(record.userType !== null && { _userType: record.userType }),
  _namespaces: [record.namespace],
  _metadata: toMetadata(record),
});
