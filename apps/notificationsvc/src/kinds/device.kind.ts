import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { RequestContext } from '@twinyard/auth';
import { formatIrn, invalidField } from '@twinyard/conventions';
import { IsMailbox } from '@twinyard/service-kit';
import { Type } from 'class-transformer';
import { IsIn, IsNotEmpty, IsOptional, IsString, IsUrl, MaxLength, ValidateIf, ValidateNested } from 'class-validator';
import { type DeviceSecrets, isWebhookSecret, newWebhookSecret } from '../resources/device-secrets';
import type { Resource } from '../resources/resource';
import { ResourceDto } from '../resources/resource.dto';
import type { Draft, ResourceKind } from '../resources/resource-kind';
import { bodyOf } from './body-of';
import { isSameAddress } from './mail-address';
import { type Transport, TRANSPORTS } from './transport';

export interface DeviceBody {
  readonly _transport: Transport;
  readonly _status: 'OK' | 'FAILING' | 'BLOCKED';
  readonly _owner: { readonly _irn: string };
  /** `_confirmedAt` is that of an address whose link was followed, `null` until then; without it the device is at the address of its owner's account. */
  readonly _email?: { readonly _address: string; readonly _confirmedAt?: string | null };
  readonly _webhook?: { readonly _url: string; readonly _sealedSecret: string };
}

class DeviceAddressDto {
  @ApiProperty({ format: 'email' })
  @IsMailbox()
  _address!: string;

  @ApiPropertyOptional({ type: String, nullable: true, readOnly: true, description: 'ISO 8601, UTC; when the link of a confirmation mail was followed' })
  _confirmedAt?: string | null;
}

class DeviceWebhookDto {
  @ApiProperty({ format: 'uri', description: 'Gets a POST with the event as a CloudEvent, signed as Standard Webhooks are' })
  @IsUrl({ protocols: ['http', 'https'], require_protocol: true, require_tld: false, allow_underscores: true, allow_trailing_dot: true, disallow_auth: true })
  @MaxLength(2_000)
  _url!: string;

  @ApiPropertyOptional({ writeOnly: true, description: '`whsec_…`, 24 to 64 bytes in base64; made if not given, and shown in the answer to the creation alone' })
  @IsOptional()
  @IsString()
  _secret?: string;
}

export class DeviceDto extends ResourceDto {
  @ApiProperty({ enum: TRANSPORTS })
  @IsIn(TRANSPORTS)
  _transport!: Transport;

  @ApiPropertyOptional({ type: DeviceWebhookDto, description: 'Of WEBHOOK, and required there' })
  @ValidateIf((device: DeviceDto) => device._transport === 'WEBHOOK')
  @IsNotEmpty()
  @ValidateNested()
  @Type(() => DeviceWebhookDto)
  _webhook?: DeviceWebhookDto;

  @ApiPropertyOptional({ type: DeviceAddressDto, description: "The address of the caller's own account by default. Another one hears of nothing before the link of its confirmation mail is followed" })
  @IsOptional()
  @ValidateNested()
  @Type(() => DeviceAddressDto)
  _email?: DeviceAddressDto;

  @ApiPropertyOptional({ enum: ['OK', 'FAILING', 'BLOCKED'], readOnly: true })
  _status?: string;

  @ApiPropertyOptional({ type: Object, readOnly: true, example: { _irn: 'passportsvc:user:…' } })
  _owner?: { _irn: string };
}

/** Where its deliveries go, as far as they may keep each other waiting: a host, or a mail device by itself. */
export function receiverOf(device: Resource): string {
  const { _webhook } = bodyOf('device', device.body);
  return _webhook === undefined ? device.id : new URL(_webhook._url).origin;
}

export const ownerOf = (ctx: RequestContext) => formatIrn('passportsvc', 'user', ctx.callerId);

/** The body of the EMAIL device that every user has without asking (contract 7). */
export function ownDeviceBody(ctx: RequestContext): DeviceBody {
  const address = ctx.access.callerEmail;
  if (ctx.principal.type !== 'user' || address === undefined) throw invalidField('Authorization', 'must be of a user who has an e-mail address, to have a device');
  return { _transport: 'EMAIL', _status: 'OK', _owner: { _irn: ownerOf(ctx) }, _email: { _address: address } };
}

const described = (description: string | undefined) => (description === undefined ? {} : { _description: description });

export const deviceKind: ResourceKind<DeviceDto> = {
  kind: 'device',
  eventType: 'notificationsvc.Device',
  dto: DeviceDto,
  named: false,
  toBody: (dto, before) => (before === undefined ? newBody(dto) : changedBody(dto, bodyOf('device', before))),
  references: () => [],
  shown: (body) => {
    const { _webhook } = bodyOf('device', body);
    return _webhook === undefined ? body : { ...body, _webhook: { _url: _webhook._url } };
  },
  complete: ({ ctx, secrets }, draft) => Promise.resolve(draft.body['_transport'] === 'WEBHOOK' ? webhookDevice(ctx, secrets, draft) : mailDevice(ctx, draft)),
};

function newBody({ _transport, _email, _webhook, _description }: DeviceDto): Record<string, unknown> {
  return { _transport, ...(_transport === 'EMAIL' ? { _email } : { _webhook: { ..._webhook } }), ...described(_description) };
}

/** A device stays of its transport and keeps its address or its secret; a webhook may move to another URL. */
function changedBody({ _transport, _webhook, _description }: DeviceDto, before: DeviceBody): Record<string, unknown> {
  if (_transport !== before._transport) throw invalidField('_transport', 'never changes');
  if (_webhook?._secret !== undefined) throw invalidField('_webhook._secret', 'never changes; make another device for another secret');
  return { ...before, ...(before._webhook && { _webhook: { ...before._webhook, _url: _webhook?._url ?? before._webhook._url } }), ...described(_description) };
}

function mailDevice(ctx: RequestContext, draft: Draft): Draft {
  const own = ownDeviceBody(ctx);
  const address = own._email?._address ?? '';
  const wanted = (draft.body['_email'] as DeviceAddressDto | undefined)?._address ?? address;
  if (isSameAddress(wanted, address)) return { ...draft, body: { ...draft.body, ...own } };
  return { ...draft, body: { ...draft.body, ...own, _email: { _address: wanted, _confirmedAt: null } } };
}

function webhookDevice(ctx: RequestContext, secrets: DeviceSecrets, draft: Draft): Draft {
  if (ctx.principal.type !== 'user') throw invalidField('Authorization', 'must be of a user, to have a device');
  const { _url, _secret = newWebhookSecret() } = draft.body['_webhook'] as DeviceWebhookDto;
  if (!isWebhookSecret(_secret)) throw invalidField('_webhook._secret', 'must be whsec_ and 24 to 64 bytes in base64');
  const body = { ...draft.body, _status: 'OK', _owner: { _irn: ownerOf(ctx) }, _webhook: { _url, _sealedSecret: secrets.seal(_secret) } };
  return { ...draft, body, once: { _webhook: { _url, _secret } } };
}
