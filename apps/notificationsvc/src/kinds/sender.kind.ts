import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsMailbox } from '@twinyard/service-kit';
import { Type } from 'class-transformer';
import { IsIn, IsOptional, IsString, IsUrl, Matches, MaxLength, ValidateNested } from 'class-validator';
import { ResourceDto } from '../resources/resource.dto';
import type { ResourceKind } from '../resources/resource-kind';
import { type Transport, TRANSPORTS } from './transport';

const REDIRECTS = ['SUBSCRIBE_SUCCESS', 'SUBSCRIBE_FAILURE', 'UNSUBSCRIBE_SUCCESS', 'UNSUBSCRIBE_FAILURE'] as const;

class MailAddressDto {
  @ApiProperty({ format: 'email' })
  @IsMailbox()
  _address!: string;

  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(200)
  _displayName?: string;
}

const REDIRECT_RULE = { protocols: ['http', 'https'], require_protocol: true, require_tld: false };

class RedirectsDto {
  @ApiPropertyOptional() @IsOptional() @IsUrl(REDIRECT_RULE) SUBSCRIBE_SUCCESS?: string;
  @ApiPropertyOptional() @IsOptional() @IsUrl(REDIRECT_RULE) SUBSCRIBE_FAILURE?: string;
  @ApiPropertyOptional() @IsOptional() @IsUrl(REDIRECT_RULE) UNSUBSCRIBE_SUCCESS?: string;
  @ApiPropertyOptional() @IsOptional() @IsUrl(REDIRECT_RULE) UNSUBSCRIBE_FAILURE?: string;
}

class SenderWebhookDto {
  @ApiPropertyOptional({ maxLength: 200, description: 'Sent as `User-Agent`' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  @Matches(/^[\x20-\x7e]+$/, { message: 'must be printable ASCII' })
  _userAgent?: string;
}

class SenderTemplatesDto {
  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsString()
  SUBSCRIBE_VERIFY?: string;
}

export interface SenderBody {
  readonly _transport: Transport;
  readonly _webhook?: { readonly _userAgent?: string };
  readonly _email?: { readonly _address: string; readonly _displayName?: string };
  readonly _templates?: { readonly SUBSCRIBE_VERIFY?: string };
  readonly _redirects?: Readonly<Partial<Record<(typeof REDIRECTS)[number], string>>>;
}

export class SenderDto extends ResourceDto {
  @ApiProperty({ enum: TRANSPORTS })
  @IsIn(TRANSPORTS)
  _transport!: Transport;

  @ApiPropertyOptional({ type: SenderWebhookDto })
  @IsOptional()
  @ValidateNested()
  @Type(() => SenderWebhookDto)
  _webhook?: SenderWebhookDto;

  @ApiPropertyOptional({ type: MailAddressDto })
  @IsOptional()
  @ValidateNested()
  @Type(() => MailAddressDto)
  _email?: MailAddressDto;

  @ApiPropertyOptional({ type: SenderTemplatesDto })
  @IsOptional()
  @ValidateNested()
  @Type(() => SenderTemplatesDto)
  _templates?: SenderTemplatesDto;

  @ApiPropertyOptional({ type: RedirectsDto })
  @IsOptional()
  @ValidateNested()
  @Type(() => RedirectsDto)
  _redirects?: RedirectsDto;
}

export const senderKind: ResourceKind<SenderDto> = {
  kind: 'sender',
  eventType: 'notificationsvc.Sender',
  dto: SenderDto,
  named: true,
  toBody: ({ _transport, _email, _webhook, _templates, _redirects, _description }) => ({
    _transport,
    ...(_webhook?._userAgent !== undefined && { _webhook: { _userAgent: _webhook._userAgent } }),
    ...(_email && { _email: { _address: _email._address, ...(_email._displayName !== undefined && { _displayName: _email._displayName }) } }),
    ...(_templates?.SUBSCRIBE_VERIFY !== undefined && { _templates: { SUBSCRIBE_VERIFY: _templates.SUBSCRIBE_VERIFY } }),
    ...(_redirects && { _redirects: Object.fromEntries(REDIRECTS.flatMap((name) => (_redirects[name] === undefined ? [] : [[name, _redirects[name]]]))) }),
    ...(_description !== undefined && { _description }),
  }),
  references: (body) => {
    const template = (body['_templates'] as SenderTemplatesDto | undefined)?.SUBSCRIBE_VERIFY;
    return template === undefined ? [] : [{ field: '_templates.SUBSCRIBE_VERIFY', kind: 'template', id: template }];
  },
};
