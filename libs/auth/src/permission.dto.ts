import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { GRANTABLE_ACTIONS, type GrantableAction, PRINCIPAL_TYPES, type PrincipalType, type ResourceCriteria, type SubresourceDesc } from '@twinyard/conventions';
import { pageOf } from '@twinyard/service-kit';

export class SubresourceDescDto implements SubresourceDesc {
  @ApiProperty({ enum: ['relateditem'] })
  _type!: 'relateditem';

  @ApiProperty({
    type: 'object', minProperties: 1, maxProperties: 20, additionalProperties: { anyOf: [{ type: 'string', nullable: true }, { type: 'number' }, { type: 'boolean' }] },
    description: 'Dotted fields of related items, and the value that each must have',
  })
  _criteria!: SubresourceDesc['_criteria'];
}

class ResourceDescDto {
  @ApiProperty({ example: 'itemsvc:nameduseritem:*' })
  _irn!: string;

  @ApiPropertyOptional({ type: Object, description: '`_itemClass` and/or `_userType`, on `itemsvc:nameduseritem:*`' })
  _criteria?: ResourceCriteria;

  @ApiPropertyOptional({ type: SubresourceDescDto, description: 'On the IRN of one collection' })
  _subresourceDesc?: SubresourceDesc;
}

class PrincipalDto {
  @ApiProperty({ enum: PRINCIPAL_TYPES })
  _type!: PrincipalType;

  @ApiProperty()
  _id!: string;
}

export class PermissionDto {
  @ApiProperty({ format: 'uuid' })
  _id!: string;

  @ApiProperty({ example: 'house_a1B2c3D4' })
  _namespace!: string;

  @ApiProperty({ enum: GRANTABLE_ACTIONS, isArray: true })
  _actions!: GrantableAction[];

  @ApiProperty({ type: ResourceDescDto })
  _resourceDesc!: ResourceDescDto;

  @ApiProperty({ type: PrincipalDto })
  _user!: PrincipalDto;
}

/** As it is sent: an id that comes with it means nothing. */
export class GrantDto extends OmitType(PermissionDto, ['_id']) {}

export class PermissionResultDto {
  @ApiProperty({ type: [PermissionDto] })
  _success!: PermissionDto[];

  @ApiProperty({ type: [Object], description: 'Each the permission as it was sent, with `_reason`' })
  _failures!: object[];
}

export const PermissionPageDto = pageOf(PermissionDto);
