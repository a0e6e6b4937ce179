import { Injectable } from '@nestjs/common';
import { keepAnswer, type RequestContext } from '@twinyard/auth';
import { formatIrn, newUuid } from '@twinyard/conventions';
import { type NewEvent, Outbox, resourceCreated } from '@twinyard/events';
import { UnitOfWork } from '@twinyard/service-kit';
import { oneNamespace } from '../resources/parse-body';
import type { NoticeDto, ToldNoticeDto } from './notice.dto';

const TYPE = 'notificationsvc:notification';

/**
 * What somebody has to tell is an event like any other (contract 7): triggers whose filters match tell their groups. No record of it is kept but what was told.
 * Handlers take an event once by its id, so the same id again tells nobody twice.
 */
@Injectable()
export class NoticesService {
  constructor(private readonly unitOfWork: UnitOfWork, private readonly outbox: Outbox) {}

  async tell(ctx: RequestContext, draft: NoticeDto): Promise<ToldNoticeDto> {
    const namespace = oneNamespace(ctx, draft._namespaces);
    ctx.access.require('CREATE', { type: TYPE, id: '*', namespaces: [namespace] });
    const event = toEvent(ctx, namespace, draft);
    const told: ToldNoticeDto = { _eventId: event.uuid, _name: draft._name, _namespaces: [namespace] };
    await this.unitOfWork.run(async (tx) => {
      await this.outbox.append(tx, event);
      await keepAnswer(ctx, tx, () => ({ status: 200, body: told }));
    });
    return told;
  }
}

function toEvent(ctx: RequestContext, namespace: string, { _name, _message, _data, _eventId }: NoticeDto): NewEvent<'notificationsvc.Notice'> {
  const uuid = _eventId?.toLowerCase() ?? newUuid();
  const fields = { _id: uuid, _irn: formatIrn('notificationsvc', 'notification', uuid), _name, _namespaces: [namespace], ...(_message !== undefined && { _message }), ...(_data && { _data }) };
  return { ...resourceCreated('notificationsvc.Notice', fields, ctx.origin), uuid };
}
