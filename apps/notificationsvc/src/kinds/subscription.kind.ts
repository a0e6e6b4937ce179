import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { forbidden, invalidField, newUuid } from '@twinyard/conventions';
import { Type } from 'class-transformer';
import { IsIn, IsNotEmpty, IsOptional, ValidateNested } from 'class-validator';
import type { Resource } from '../resources/resource';
import { ReferenceDto, ResourceDto } from '../resources/resource.dto';
import type { Completion, Draft, ResourceKind } from '../resources/resource-kind';
import { bodyOf } from './body-of';
import { ownDeviceBody, ownerOf } from './device.kind';
import { confirmedAddress } from './mail-address';

/** CREATED → REQUESTED → ACCEPTED → CANCELLED (contract 7): what needs no confirmation is ACCEPTED at once. */
const SUBSCRIPTION_STATUSES = ['CREATED', 'REQUESTED', 'ACCEPTED', 'CANCELLED'] as const;

export interface SubscriptionBody {
  readonly _status: (typeof SUBSCRIPTION_STATUSES)[number];
  readonly _group: ReferenceDto;
  readonly _device: ReferenceDto;
}

export class SubscriptionDto extends ResourceDto {
  @ApiProperty({ type: ReferenceDto })
  @IsNotEmpty()
  @ValidateNested()
  @Type(() => ReferenceDto)
  _group!: ReferenceDto;

  @ApiPropertyOptional({ type: ReferenceDto, description: "The caller's own device; the one with its account's address by default" })
  @IsOptional()
  @ValidateNested()
  @Type(() => ReferenceDto)
  _device?: ReferenceDto;

  @ApiPropertyOptional({ enum: SUBSCRIPTION_STATUSES, description: 'On PUT: CANCELLED ends the subscription; ACCEPTED, by the owner of the device, takes it up again, or has the confirmation mail sent again where the address is not confirmed' })
  @IsOptional()
  @IsIn(SUBSCRIPTION_STATUSES)
  _status?: string;
}

export const subscriptionKind: ResourceKind<SubscriptionDto> = {
  kind: 'subscription',
  eventType: 'notificationsvc.Subscription',
  dto: SubscriptionDto,
  named: false,
  toBody: ({ _group, _device, _status, _description }, before) => ({
    ...before,
    _group: { _id: before === undefined ? _group._id : bodyOf('subscription', before)._group._id },
    ...(before === undefined && _device && { _device: { _id: _device._id } }),
    ...(before !== undefined && { _status: changedStatus(_status, bodyOf('subscription', before)) }),
    ...(_description !== undefined && { _description }),
  }),
  references: (body) => {
    const { _group, _device } = bodyOf('subscription', body);
    return [{ field: '_group._id', kind: 'group', id: _group._id }, { field: '_device._id', kind: 'device', id: _device._id }];
  },
  complete: async (at, draft) => {
    const device = await deviceOf(at, draft);
    const body = { ...draft.body, _device: { _id: device.id }, _status: isConfirmed(at, device) ? 'ACCEPTED' : 'REQUESTED' };
    if (body._status === 'REQUESTED') await at.confirmations.ask(at.tx, device, confirmationOf(at, body), 'once');
    return { ...draft, body };
  },
  revise: async (at, stored, body) => {
    const before = bodyOf('subscription', stored.body);
    if (body['_status'] !== 'ACCEPTED' || before._status === 'ACCEPTED') return body;
    const device = await at.resources.findIn(at.tx, stored.namespace, 'device', before._device._id);
    if (device === undefined) throw invalidField('_device._id', 'is gone');
    if (bodyOf('device', device.body)._owner._irn !== ownerOf(at.ctx)) throw forbidden('Only the owner of the device can take a subscription up');
    // Whoever reads the mails of another address has the last word.
    const isAgreed = isConfirmed(at, device) && !(before._status === 'CANCELLED' && isElsewhere(device));
    if (!isAgreed) await at.confirmations.ask(at.tx, device, confirmationOf(at, body), 'again');
    return { ...body, _status: isAgreed ? 'ACCEPTED' : 'REQUESTED' };
  },
};

/** What is not said stays. */
function changedStatus(wanted: string | undefined, { _status }: SubscriptionBody): string {
  return wanted === 'CANCELLED' || wanted === 'ACCEPTED' ? wanted : _status;
}

const isElsewhere = (device: Resource) => bodyOf('device', device.body)._email?._confirmedAt !== undefined;

function isConfirmed({ ctx }: Completion, device: Resource): boolean {
  const body = bodyOf('device', device.body);
  if (body._transport !== 'EMAIL') return true;
  const { callerEmail = '', verifiedEmail } = ctx.access;
  return confirmedAddress(body, { email: callerEmail, emailVerified: verifiedEmail !== undefined }) !== undefined;
}

const confirmationOf = ({ id }: Completion, body: Record<string, unknown>) => ({ subscriptionId: id, groupId: bodyOf('subscription', body)._group._id });

async function deviceOf(at: Completion, { namespace, body }: Draft): Promise<Resource> {
  const wanted = (body['_device'] as ReferenceDto | undefined)?._id;
  const device = wanted === undefined ? await ensureOwnDevice(at, namespace) : await at.resources.findIn(at.tx, namespace, 'device', wanted);
  if (device === undefined) throw invalidField('_device._id', `there is no device ${JSON.stringify(wanted)} in ${namespace}`);
  if (bodyOf('device', device.body)._owner._irn !== ownerOf(at.ctx)) throw invalidField('_device._id', "must be the caller's own device");
  return device;
}

/** Makes the device that every user has without asking, the first time that it is needed. */
async function ensureOwnDevice({ tx, ctx, resources }: Completion, namespace: string): Promise<Resource> {
  const name = `own address of ${ctx.callerId}`;
  // Two first subscriptions at once must not both make it.
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [`${namespace} ${name}`]);
  const known = await resources.findByName(tx, namespace, 'device', name);
  if (known !== undefined) return known;
  const now = new Date();
  const device: Resource = {
    id: newUuid(), kind: 'device', namespace, name, version: 1, body: { ...ownDeviceBody(ctx) }, createdAt: now, updatedAt: now,
    createdById: ctx.callerId, updatedById: ctx.callerId,
  };
  await resources.insert(tx, device);
  return device;
}
