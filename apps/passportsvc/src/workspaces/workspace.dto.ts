import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { pageOf } from '@twinyard/service-kit';
import { IsNotEmpty, IsObject, IsOptional, IsString, MaxLength } from 'class-validator';
import { RecordDto, toRecordDto } from '../namespaces/record.dto';
import type { WorkspaceEntity } from './workspace.entity';
import type { WorkspaceChanges, WorkspaceDraft } from './workspaces.service';

export class CreateWorkspaceDto {
  @ApiProperty()
  @IsString() @IsNotEmpty() @MaxLength(255)
  _name: string;

  @ApiPropertyOptional({ description: '`_name` without it; what its namespace begins with' })
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(255)
  _shortName?: string;

  @ApiPropertyOptional()
  @IsOptional() @IsString() @MaxLength(10_000)
  _description?: string;

  @ApiPropertyOptional({ description: 'A project has `project_workspace`' })
  @IsOptional() @IsString() @MaxLength(255)
  _userType?: string;

  @ApiPropertyOptional({ type: Object, description: 'Free-form attributes' })
  @IsOptional() @IsObject()
  _userAttributes?: Record<string, unknown>;

  @ApiPropertyOptional({ description: 'With a token of the console: the organization that the workspace is made in' })
  @IsOptional() @IsString()
  _orgId?: string;
}

export class UpdateWorkspaceDto extends PartialType(CreateWorkspaceDto) {}

export class WorkspaceDto extends RecordDto {
  @ApiProperty({ type: Object })
  readonly _userAttributes: object;

  @ApiPropertyOptional({ description: 'Of an application' })
  readonly _appId?: string;

  @ApiPropertyOptional({ format: 'uuid' })
  readonly _orgId?: string;
}

export const WorkspacePageDto = pageOf(WorkspaceDto);

/** What is not sent, or sent as null, stays as it is. */
export const toWorkspaceChanges = (dto: UpdateWorkspaceDto): WorkspaceChanges => ({
  ...(dto._name != null && { name: dto._name }),
  ...(dto._shortName != null && { shortName: dto._shortName }),
  ...(dto._description != null && { description: dto._description }),
  ...(dto._userType != null && { userType: dto._userType }),
  ...(dto._userAttributes != null && { userAttributes: dto._userAttributes }),
});

export const toWorkspaceDraft = (dto: CreateWorkspaceDto): WorkspaceDraft => ({
  ...toWorkspaceChanges(dto),
  name: dto._name,
  shortName: dto._shortName ?? dto._name,
  ...(dto._orgId != null && { orgId: dto._orgId }),
});

export const toWorkspaceRecord = (workspace: WorkspaceEntity): WorkspaceDto => ({
  ...toRecordDto('workspace', workspace),
  _userAttributes: workspace.userAttributes,
  ...(workspace.appId !== null && { _appId: workspace.appId }),
  ...(workspace.orgId !== null && { _orgId: workspace.orgId }),
});
