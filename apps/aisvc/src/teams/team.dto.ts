import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { toMetadata } from '@twinyard/conventions';
import { MetadataDto, pageOf } from '@twinyard/service-kit';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsNotEmpty, IsOptional, IsString, MaxLength, NotEquals, ValidateNested } from 'class-validator';
import type { Team } from './team.entity';
import { END, START } from './team-flow';

export class TeamAgentDto {
  @ApiProperty({ example: 'planner', description: 'User type of an agent' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  @NotEquals(START)
  @NotEquals(END)
  _userType!: string;
}

export class FlowEdgeDto {
  @ApiProperty({ example: '__start__' })
  @IsString()
  from!: string;

  @ApiProperty({ example: 'planner' })
  @IsString()
  to!: string;
}

export class TeamDto {
  @ApiProperty({ format: 'uuid' })
  _id!: string;

  @ApiProperty({ format: 'uuid', description: 'The same as `_id`' })
  id!: string;

  @ApiProperty({ maxLength: 200 })
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  _name!: string;

  @ApiProperty({ type: [String], description: 'Within `nsfilter`' })
  @IsArray()
  @ArrayMinSize(1)
  @IsString({ each: true })
  _namespaces!: string[];

  @ApiProperty({ type: [TeamAgentDto] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(200)
  @ArrayUnique((agent: TeamAgentDto | undefined) => agent?._userType)
  @ValidateNested({ each: true })
  @Type(() => TeamAgentDto)
  _agents!: TeamAgentDto[];

  @ApiProperty({ type: [FlowEdgeDto], description: '`__start__` and `__end__` are entry and exit, other names are agents of the team' })
  @IsArray()
  @ArrayMaxSize(2_000)
  @ValidateNested({ each: true })
  @Type(() => FlowEdgeDto)
  _flow!: FlowEdgeDto[];

  @ApiProperty({ type: MetadataDto })
  _metadata!: MetadataDto;
}

/** A body to create, or with `_id` to update, a team. Whole records may be sent back: what the service owns is ignored. */
export class PutTeamDto extends OmitType(TeamDto, ['_id', 'id', '_metadata'] as const) {
  @ApiPropertyOptional({ format: 'uuid', description: 'Updates this team' })
  @IsOptional()
  @IsString()
  _id?: string;
}

export const TeamPageDto = pageOf(TeamDto);

export interface TeamDraft {
  readonly name: string;
  readonly namespaces: readonly string[];
  readonly agents: readonly { readonly userType: string }[];
  readonly flow: readonly { readonly from: string; readonly to: string }[];
}

export const toTeamDraft = (body: PutTeamDto): TeamDraft => ({
  name: body._name,
  namespaces: [...new Set(body._namespaces)],
  agents: body._agents.map(({ _userType }) => ({ userType: _userType })),
  flow: body._flow.map(({ from, to }) => ({ from, to })),
});

export const toTeamDto = (team: Team): TeamDto => ({
  _id: team.id,
  id: team.id,
  _name: team.name,
  _namespaces: team.namespaces,
  _agents: team.agents.map(({ userType }) => ({ _userType: userType })),
  _flow: team.flow.map(({ from, to }) => ({ from, to })),
  _metadata: toMetadata(team),
});
