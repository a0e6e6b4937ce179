import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsNotEmpty, IsOptional, IsString } from 'class-validator';

/** That one request may have cancelled. */
export const MOST_CANCELLED = 1_000;

export class CancelRunsDto {
  @ApiPropertyOptional({ type: [String], description: 'Of runs, 1 to 1,000' })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_CANCELLED)
  @IsString({ each: true })
  ids?: string[] | null;

  @ApiPropertyOptional({ format: 'uuid', description: 'In the place of `ids`: all of its runs that have not ended, the oldest 1,000 at a time' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  orchestratorId?: string;
}

class RunFailureDto {
  @ApiProperty() id!: string;
  @ApiProperty() _reason!: string;
}

export class CancelledRunsDto {
  @ApiProperty({ type: [String], description: 'Ids of runs that are cancelled, or asked to stop' }) _success!: string[];
  @ApiProperty({ type: [RunFailureDto] }) _failures!: RunFailureDto[];
}
