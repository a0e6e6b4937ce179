import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { schemaRef } from '@twinyard/documents';
import { MetadataDto, pageOf } from '@twinyard/service-kit';
import { DESC_FIELDS } from './telemetry-config.parse';

class BindingDto {
  @ApiProperty({ description: `Selects collections by ${DESC_FIELDS.join(', ')}; each is a text, or an array of which one fits`, type: 'object', additionalProperties: true })
  readonly collectionDesc: Record<string, unknown>;

  @ApiPropertyOptional({ description: 'A filter on their telemetry items; missing: all of them', allOf: [schemaRef('Filter')] })
  readonly query?: Record<string, unknown>;
}

class NormalizationScriptDto {
  @ApiProperty({ minLength: 1, maxLength: 100, description: 'User type of a Script in a namespace of the config; of several the latest counts' })
  readonly _userType: string;
}

class ConfigDataDto {
  @ApiProperty({ type: [BindingDto], maxItems: 100 })
  readonly _bindings: BindingDto[];

  @ApiPropertyOptional({ type: NormalizationScriptDto })
  readonly _normalizationScript?: NormalizationScriptDto;
}

export class TelemetryConfigDto {
  @ApiProperty()
  readonly _id: string;

  @ApiProperty()
  readonly _uri: string;

  @ApiProperty()
  readonly _irn: string;

  @ApiProperty({ minLength: 1, maxLength: 100 })
  readonly _name: string;

  @ApiProperty({ minLength: 1, maxLength: 22 })
  readonly _shortName: string;

  @ApiProperty({ minLength: 1, maxLength: 100 })
  readonly _userType: string;

  @ApiPropertyOptional()
  readonly _description?: string;

  @ApiProperty({ type: 'array', minItems: 1, items: { type: 'string', minLength: 1 }, description: 'Each namespace has one config at most' })
  readonly _namespaces: string[];

  @ApiProperty({ type: ConfigDataDto })
  readonly _configData: ConfigDataDto;

  @ApiProperty({ type: MetadataDto })
  readonly _metadata: MetadataDto;
}

export class WriteTelemetryConfigDto extends OmitType(TelemetryConfigDto, ['_id', '_uri', '_irn', '_metadata']) {}

export const TelemetryConfigPageDto = pageOf(TelemetryConfigDto);
