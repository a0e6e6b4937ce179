import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { invalidFields } from '@twinyard/conventions';
import { Type } from 'class-transformer';
import { IsIn, IsNotEmpty, IsOptional, IsString, MaxLength, ValidateIf, ValidateNested } from 'class-validator';
import { templateIssues } from '../templates/template-renderer';
import { ResourceDto } from '../resources/resource.dto';
import type { ResourceKind } from '../resources/resource-kind';
import { type Transport, TRANSPORTS } from './transport';

const FORMATS = ['TEXT', 'HTML'] as const;
export type MailFormat = (typeof FORMATS)[number];

class MailTemplateDto {
  @ApiProperty({ maxLength: 1000, description: 'Velocity' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(1_000)
  _subject!: string;

  @ApiProperty({ maxLength: 100_000, description: 'Velocity; variables `$request` (the event), `$device`, `$sender`, `$group`, `$applicationName`, `$cancelLink`, `$cancelAllLink`, `$acceptLink`' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(100_000)
  _body!: string;

  @ApiPropertyOptional({ enum: FORMATS, description: 'Without it: HTML where the body begins with a tag or a doctype' })
  @IsOptional()
  @IsIn(FORMATS)
  _format?: MailFormat;
}

export interface TemplateBody {
  readonly _transport: Transport;
  readonly _locale: string;
  /** Of an EMAIL template; a webhook is sent the event itself. */
  readonly _email?: { readonly _subject: string; readonly _body: string; readonly _format?: MailFormat };
}

export class TemplateDto extends ResourceDto {
  @ApiPropertyOptional({ default: 'en' })
  @IsOptional()
  @IsString()
  @MaxLength(35)
  _locale?: string;

  @ApiPropertyOptional({ enum: ['VELOCITY'], default: 'VELOCITY' })
  @IsOptional()
  @IsIn(['VELOCITY'])
  _format?: 'VELOCITY';

  @ApiProperty({ enum: TRANSPORTS })
  @IsIn(TRANSPORTS)
  _transport!: Transport;

  @ApiPropertyOptional({ type: MailTemplateDto, description: 'Of EMAIL, and required there; a webhook is sent the event as a CloudEvent' })
  @ValidateIf((template: TemplateDto) => template._transport === 'EMAIL')
  @IsNotEmpty()
  @ValidateNested()
  @Type(() => MailTemplateDto)
  _email?: MailTemplateDto;
}

export const templateKind: ResourceKind<TemplateDto> = {
  kind: 'template',
  eventType: 'notificationsvc.Template',
  dto: TemplateDto,
  named: true,
  toBody: ({ _locale, _transport, _email, _description }) => {
    const mail = _transport === 'EMAIL' ? _email : undefined;
    const issues = mail === undefined ? [] : [...templateIssues('_email._subject', mail._subject), ...templateIssues('_email._body', mail._body)];
    if (issues.length > 0) throw invalidFields(issues);
    return {
      _locale: _locale ?? 'en', _format: 'VELOCITY', _transport,
      ...(mail && { _email: { _subject: mail._subject, _body: mail._body, ...(mail._format != null && { _format: mail._format }) } }),
      ...(_description !== undefined && { _description }),
    };
  },
  references: () => [],
};
