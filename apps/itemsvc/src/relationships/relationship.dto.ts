import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { pageOf } from '@twinyard/service-kit';

export class RelationshipDto {
  @ApiProperty()
  readonly _id: string;

  @ApiProperty({ description: 'The related item at which the relation starts' })
  readonly _relatedFromId: string;

  @ApiProperty({ type: [String], description: 'Where it leads: one record a pair' })
  readonly _relatedToIds: string[];

  @ApiProperty({ description: '`_userItemId` of the other collection' })
  readonly _relatedUserItemId: string;

  @ApiProperty({ description: '`_id` of the other collection' })
  readonly _relatedUserItemDbId: string;

  @ApiProperty()
  readonly _relatedUserItemClass: string;

  @ApiProperty()
  readonly _relatedUserType: string;

  @ApiProperty()
  readonly _relatedUserItemVersionId: string;

  @ApiProperty()
  readonly _relatedUserItemVersion: number;

  @ApiProperty({ description: 'True where the other collection is the one that the relation comes from' })
  readonly _isInverse: boolean;
}

export const RelationshipPageDto = pageOf(RelationshipDto);

export class NewRelationshipDto {
  @ApiProperty()
  readonly _relatedFromId: string;

  @ApiProperty({ type: [String] })
  readonly _relatedToIds: string[];

  @ApiPropertyOptional({ description: '`_id` or `_userItemId` of the related collection; this or `_relatedUserItemId`' })
  readonly _relatedUserItemDbId?: string;

  @ApiPropertyOptional()
  readonly _relatedUserItemId?: string;

  @ApiPropertyOptional({ description: 'Another version of the related collection than its tip' })
  readonly _relatedUserItemVersionId?: string;
}
