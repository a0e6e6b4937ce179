import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toMetadata } from '@twinyard/conventions';
import { MetadataDto, pageOf } from '@twinyard/service-kit';
import { IsIn, IsNotEmpty, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { type NotificationTemplateEntity, TEMPLATE_NAMES, type TemplateName } from './notification-template.entity';

const FORMATS = ['text/html', 'text/plain'] as const;

export class CreateNotificationTemplateDto {
  @ApiProperty({ enum: TEMPLATE_NAMES })
  @IsIn(TEMPLATE_NAMES)
  _name: TemplateName;

  @ApiProperty({ description: 'Subject line; may contain `${variable}`' })
  @IsString() @IsNotEmpty() @MaxLength(1_000)
  _title: string;

  @ApiProperty({ description: 'Body with `${variable}`: those of the invite\'s `_params`, and `invite_link`, `invite_dt`, `expire_dt`, `host`, `base_url`' })
  @IsString() @IsNotEmpty() @MaxLength(100_000)
  _message: string;

  @ApiPropertyOptional({ default: 'en', description: 'BCP 47' })
  @IsOptional() @IsString() @Matches(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/) @MaxLength(35)
  _locale?: string;

  @ApiPropertyOptional({ enum: FORMATS, default: 'text/html', description: 'Values put into HTML are escaped' })
  @IsOptional() @IsIn(FORMATS)
  _format?: string;
}

/** A locale or format that is not sent, or sent as null, stays as it is. */
export class UpdateNotificationTemplateDto extends CreateNotificationTemplateDto {}

export class NotificationTemplateDto {
  @ApiProperty({ format: 'uuid' }) readonly _id: string;
  @ApiProperty({ enum: TEMPLATE_NAMES }) readonly _name: TemplateName;
  @ApiProperty() readonly _title: string;
  @ApiProperty() readonly _message: string;
  @ApiProperty() readonly _locale: string;
  @ApiProperty() readonly _format: string;
  @ApiProperty({ description: 'The owning application' }) readonly _appId: string;
  @ApiProperty({ type: MetadataDto }) readonly _metadata: MetadataDto;
}

export const NotificationTemplatePageDto = pageOf(NotificationTemplateDto);

export type TemplateDraft = Pick<NotificationTemplateEntity, 'name' | 'title' | 'message' | 'locale' | 'format'>;

export const toTemplateChanges = (dto: UpdateNotificationTemplateDto): Partial<TemplateDraft> => ({
  name: dto._name, title: dto._title, message: dto._message,
  ...(dto._locale != null && { locale: dto._locale.toLowerCase() }),
  ...(dto._format != null && { format: dto._format }),
});

export const toTemplateDraft = (dto: CreateNotificationTemplateDto): TemplateDraft => ({
  name: dto._name, title: dto._title, message: dto._message, locale: (dto._locale ?? 'en').toLowerCase(), format: dto._format ?? 'text/html',
});

export const toTemplateRecord = (template: NotificationTemplateEntity): NotificationTemplateDto => ({
  _id: template.id, _name: template.name, _title: template.title, _message: template.message, _locale: template.locale, _format: template.format,
  _appId: template.appId, _metadata: toMetadata(template),
});
