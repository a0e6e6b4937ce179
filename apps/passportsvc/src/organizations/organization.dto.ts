import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsMailbox, pageOf } from '@twinyard/service-kit';
import { IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import { RecordDto, toRecordDto } from '../namespaces/record.dto';
import type { UserEntity } from '../users/user.entity';
import type { OrganizationEntity } from './organization.entity';
import type { OrganizationChanges, OrganizationDraft } from './organizations.service';

export class UpdateOrganizationDto {
  @ApiProperty()
  @IsString() @IsNotEmpty() @MaxLength(255)
  _name: string;

  @ApiPropertyOptional()
  @IsOptional() @IsString() @MaxLength(10_000)
  _description?: string;

  @ApiPropertyOptional({ description: 'Label of organizations of the same type' })
  @IsOptional() @IsString() @MaxLength(255)
  _userType?: string;
}

export class CreateOrganizationDto extends UpdateOrganizationDto {
  @ApiProperty({ format: 'email', description: 'Address of the owner; without an account the organization waits for it' })
  @IsMailbox()
  _orgOwner: string;

  @ApiPropertyOptional({ description: 'Unique across the platform; `_name` without it' })
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(255)
  _shortName?: string;
}

export class OrganizationDto extends RecordDto {
  @ApiProperty({ type: String, nullable: true, description: 'Id of the owner, or the address of one who has no account yet' })
  readonly _orgOwner: string | null;
}

export class OrganizationUserDto {
  @ApiProperty({ format: 'uuid' }) readonly _id: string;
  @ApiProperty() readonly _firstname: string;
  @ApiProperty() readonly _lastname: string;
  @ApiProperty() readonly _eusa: boolean;
  @ApiProperty() readonly _privacy: boolean;
  @ApiProperty({ format: 'email' }) readonly _email: string;
  @ApiProperty() readonly _disabled: boolean;
}

export const OrganizationPageDto = pageOf(OrganizationDto);
export const OrganizationUserPageDto = pageOf(OrganizationUserDto);

export const toOrganizationDraft = (dto: CreateOrganizationDto): OrganizationDraft => ({
  name: dto._name, shortName: dto._shortName ?? dto._name, description: dto._description ?? '', userType: dto._userType ?? null, owner: dto._orgOwner,
});

/** What is not sent, or sent as null, stays as it is. */
export const toOrganizationChanges = (dto: UpdateOrganizationDto): OrganizationChanges => ({
  name: dto._name,
  ...(dto._description != null && { description: dto._description }),
  ...(dto._userType != null && { userType: dto._userType }),
});

export const toOrganizationRecord = (organization: OrganizationEntity): OrganizationDto => ({
  ...toRecordDto('organization', organization),
  _orgOwner: organization.ownerId ?? organization.pendingOwnerEmail,
});

export const toOrganizationUser = (user: UserEntity): OrganizationUserDto => ({
  _id: user.id, _firstname: user.firstname, _lastname: user.lastname, _eusa: true, _privacy: true, _email: user.email, _disabled: user.disabled,
});
