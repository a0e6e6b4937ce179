import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toMetadata } from '@twinyard/conventions';
import { IsMailbox, MetadataDto, pageOf } from '@twinyard/service-kit';
import { IsIn, IsObject, IsOptional } from 'class-validator';
import type { UserGroupEntity } from '../usergroups/usergroup.entity';
import { toGroupRecord, UserGroupDto } from '../usergroups/usergroup.dto';
import { INVITE_STATUSES, type InviteEntity, type InviteParams, type InviteStatus } from './invite.entity';
import { statusAt } from './invite-status';

export class CreateInviteDto {
  @ApiProperty({ format: 'email' })
  @IsMailbox()
  _email: string;

  @ApiPropertyOptional({
    type: Object,
    description: '`base_url` (required): address of the web application; `invite_link`: path below it that takes the invite up; `type`, `name`, `inviter_name`, `locale`, `subject`, `body_header`, `body_content` and any others are values of the mail\'s template.',
  })
  @IsOptional() @IsObject()
  _params?: InviteParams;
}

export class UpdateInviteDto {
  @ApiProperty({ enum: ['CANCELLED', 'REJECTED'] })
  @IsIn(['CANCELLED', 'REJECTED'])
  _status: 'CANCELLED' | 'REJECTED';
}

export class InviteDto {
  @ApiProperty({ format: 'uuid' }) readonly _id: string;
  @ApiProperty({ format: 'email' }) readonly _email: string;
  @ApiProperty({ description: 'Epoch milliseconds' }) readonly _expireTime: number;
  @ApiProperty({ description: 'Whether somebody has an account with the address' }) readonly _userExists: boolean;
  @ApiProperty({ type: Object }) readonly _params: InviteParams;
  @ApiProperty({ type: UserGroupDto }) readonly _usergroup: UserGroupDto;
  @ApiProperty({ enum: INVITE_STATUSES }) readonly _status: InviteStatus;
  @ApiProperty({ type: MetadataDto }) readonly _metadata: MetadataDto;
}

export const InvitePageDto = pageOf(InviteDto);

export interface InviteView {
  readonly invite: InviteEntity;
  readonly group: UserGroupEntity;
  readonly userExists: boolean;
}

export const toInviteRecord = (memberOf: readonly string[]) => ({ invite, group, userExists }: InviteView): InviteDto => ({
  _id: invite.id,
  _email: invite.email,
  _expireTime: invite.expiresAt.getTime(),
  _userExists: userExists,
  _params: invite.params,
  _usergroup: { ...toGroupRecord(memberOf)(group), _appId: invite.appId },
  _status: statusAt(invite, new Date()),
  _metadata: toMetadata(invite),
});
