import { ApiProperty, ApiPropertyOptional, getSchemaPath, OmitType } from '@nestjs/swagger';
import { MetadataDto } from '@twinyard/service-kit';
import { NamedItemDto } from '../nameditems/named-item.dto';
import { PROPERTY_TYPES } from './schema-definition';

class PropertySchemaDto {
  @ApiProperty({ enum: PROPERTY_TYPES })
  readonly _type: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: { $ref: getSchemaPath('PropertySchemaDto') }, description: 'Of an object' })
  readonly _properties?: Record<string, PropertySchemaDto>;

  @ApiPropertyOptional({ type: () => PropertySchemaDto, description: 'Of an array: what each element is' })
  readonly _items?: PropertySchemaDto;

  @ApiPropertyOptional({ type: [String], description: 'Of a text: the values that it takes' })
  readonly _enum?: string[];

  @ApiPropertyOptional()
  readonly _description?: string;
}

class NamedTypeDto {
  @ApiProperty({ description: 'Unique among the item types, or the reading types, of the definition' })
  readonly _typeName: string;

  @ApiProperty({ enum: ['object'] })
  readonly _type: string;

  @ApiProperty({ type: 'object', additionalProperties: { $ref: getSchemaPath(PropertySchemaDto) } })
  readonly _properties: Record<string, PropertySchemaDto>;

  @ApiPropertyOptional()
  readonly _description?: string;
}

class TypeReferenceDto {
  @ApiProperty({ description: 'An item type of the definition' })
  readonly _relatedTypeName: string;

  @ApiPropertyOptional()
  readonly _relatedUserType?: string;

  @ApiPropertyOptional({ description: 'In generated definitions' })
  readonly _relatedUserItemId?: string;
}

class RelationshipTypeDto {
  @ApiProperty()
  readonly _isInverse: boolean;

  @ApiProperty()
  readonly _userType: string;

  @ApiProperty({ type: TypeReferenceDto })
  readonly _ref: TypeReferenceDto;

  @ApiPropertyOptional()
  readonly _description?: string;
}

class ItemTypeDto extends NamedTypeDto {
  @ApiProperty({ type: [RelationshipTypeDto] })
  readonly _relationshipTypes: RelationshipTypeDto[];

  @ApiProperty({ type: [String], description: 'Names of reading types of the definition' })
  readonly _readingTypes: string[];
}

export class SchemaTypesDto {
  @ApiPropertyOptional({ type: [ItemTypeDto] })
  readonly _itemTypes?: ItemTypeDto[];

  @ApiPropertyOptional({ type: [NamedTypeDto], description: 'Where they name `_ts` and `_tsMetadata`, these are a date and an object with the texts `_telItemId` and `_sourceId`' })
  readonly _readingTypes?: NamedTypeDto[];
}

class TypedCollectionDto extends OmitType(NamedItemDto, ['_versions', '_itemTypes']) {
  @ApiProperty({ type: [String], description: 'Names of item types' })
  readonly _itemTypes: string[];
}

export class SchemaDefinitionDto {
  @ApiProperty({ type: [ItemTypeDto] })
  readonly _itemTypes: ItemTypeDto[];

  @ApiProperty({ type: [NamedTypeDto] })
  readonly _readingTypes: NamedTypeDto[];

  @ApiProperty({ type: [TypedCollectionDto], description: 'Collections of the namespace that the caller may READ, without their versions' })
  readonly _collections: TypedCollectionDto[];

  @ApiPropertyOptional({ type: MetadataDto, description: 'Of a stored definition' })
  readonly _metadata?: MetadataDto;
}

/** Named only inside of others, so the description has to be told of it. */
export const SCHEMA_MODELS = [PropertySchemaDto];
