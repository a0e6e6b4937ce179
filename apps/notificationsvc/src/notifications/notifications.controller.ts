import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiPropertyOptional, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { formatIrn, notFound, oneOfWords, type Page, parsePaging, textParameter, toPage } from '@twinyard/conventions';
import { pageOf } from '@twinyard/service-kit';
import type { Notification } from './notification';
import { NOTIFICATION_STATUSES } from './notification';
import { type NotificationFilter, NotificationsRepository, type Viewer } from './notifications.repository';

export class NotificationDto {
  @ApiProperty({ format: 'uuid' }) _id!: string;
  @ApiProperty({ type: [String] }) _namespaces!: string[];
  @ApiProperty({ enum: NOTIFICATION_STATUSES }) _status!: string;
  @ApiProperty({ type: Object }) _trigger!: { _id: string };
  @ApiProperty({ format: 'uuid' }) _eventId!: string;
  @ApiProperty({ type: Object }) _group!: { _id: string };
  @ApiProperty({ type: Object }) _subscription!: { _id: string };
  @ApiProperty({ type: Object }) _device!: { _id: string };
  @ApiPropertyOptional({ type: Object }) _sender?: { _id: string };
  @ApiPropertyOptional({ type: Object }) _template?: { _id: string };
  @ApiProperty() _transport!: string;
  @ApiProperty({ type: Object }) _owner!: { _irn: string };
  @ApiProperty() _attempts!: number;
  @ApiPropertyOptional({ description: 'Why it was skipped or failed' }) _error?: string;
  @ApiProperty({ description: 'ISO 8601, UTC' }) _createdAt!: string;
  @ApiProperty({ description: 'ISO 8601, UTC' }) _updatedAt!: string;
}

const NotificationPageDto = pageOf(NotificationDto);

@ApiTags('notifications')
@Controller('notificationsvc/api/v1/notification')
export class NotificationsController {
  constructor(private readonly notifications: NotificationsRepository) {}

  @Get()
  @Allow('READ', 'notificationsvc:notification', { nsfilter: 'optional' })
  @ApiOperation({ operationId: 'listNotifications', summary: 'What was told to whom, and how it went; those to the caller always' })
  @ApiQuery({ name: '_count', required: false, type: Number, description: 'Page size, 10 by default' })
  @ApiQuery({ name: '_offset', required: false, type: Number })
  @ApiQuery({ name: '_status', required: false, enum: NOTIFICATION_STATUSES })
  @ApiQuery({ name: '_trigger._id', required: false })
  @ApiQuery({ name: '_eventId', required: false })
  @ApiOkResponse({ type: NotificationPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>): Promise<Page<NotificationDto>> {
    const paging = parsePaging({ _pageSize: query['_count'], ...query }, { defaultSize: 10, maxSize: 1_000 });
    return toPage(await this.notifications.list(scopeOf(ctx), viewerOf(ctx), toFilter(query), paging), paging, toDto);
  }

  @Get(':id')
  @Allow('READ', 'notificationsvc:notification', { nsfilter: 'optional' })
  @ApiOperation({ operationId: 'getNotification', summary: 'One notification' })
  @ApiOkResponse({ type: NotificationDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<NotificationDto> {
    const notification = await this.notifications.find(scopeOf(ctx), viewerOf(ctx), id);
    if (notification === undefined) throw notFound('notification', id);
    return toDto(notification);
  }
}

const scopeOf = (ctx: RequestContext) => ctx.access.scope('READ', 'notificationsvc:notification');
const viewerOf = (ctx: RequestContext): Viewer => ({ irn: formatIrn('passportsvc', 'user', ctx.callerId), namespaces: ctx.access.requestedNamespaces });

function toFilter(query: Record<string, unknown>): NotificationFilter {
  const status = textParameter(query, '_status');
  const triggerId = textParameter(query, '_trigger._id');
  const eventId = textParameter(query, '_eventId');
  return { ...(status && { status: oneOfWords(NOTIFICATION_STATUSES, '_status', status) }), ...(triggerId && { triggerId }), ...(eventId && { eventId }) };
}

const toDto = (notification: Notification): NotificationDto => ({
  _id: notification.id,
  _namespaces: [notification.namespace],
  _status: notification.status,
  _trigger: { _id: notification.triggerId ?? '' },
  _eventId: notification.eventId,
  _group: { _id: notification.groupId },
  _subscription: { _id: notification.subscriptionId },
  _device: { _id: notification.deviceId },
  ...(notification.senderId !== null && { _sender: { _id: notification.senderId } }),
  ...(notification.templateId !== null && { _template: { _id: notification.templateId } }),
  _transport: notification.transport,
  _owner: { _irn: notification.ownerIrn },
  _attempts: notification.attempts,
  ...(notification.error !== null && { _error: notification.error }),
  _createdAt: notification.createdAt.toISOString(),
  _updatedAt: notification.updatedAt.toISOString(),
});
