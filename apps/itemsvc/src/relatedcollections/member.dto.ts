import { ApiProperty } from '@nestjs/swagger';
import { pageOf } from '@twinyard/service-kit';

export class MemberDto {
  @ApiProperty({ description: 'Of the membership; what a delete names' })
  readonly _id: string;

  @ApiProperty({ description: '`_id` of the member' })
  readonly _itemId: string;

  @ApiProperty({ description: '`_userItemId` of the member' })
  readonly _userItemId: string;

  @ApiProperty()
  readonly _userItemClass: string;

  @ApiProperty()
  readonly _userType: string;

  @ApiProperty()
  readonly _name: string;

  @ApiProperty({ description: 'The pinned version' })
  readonly _userItemVersionId: string;

  @ApiProperty()
  readonly _userItemVersion: number;
}

export const MemberPageDto = pageOf(MemberDto);
