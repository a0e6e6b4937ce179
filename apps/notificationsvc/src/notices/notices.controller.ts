import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBadRequestResponse, ApiBody, ApiForbiddenResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { NoticeDto, parseNotice, ToldNoticeDto } from './notice.dto';
import { NoticesService } from './notices.service';

@ApiTags('notifications')
@Controller('notificationsvc/api/v1/notification')
export class NoticesController {
  constructor(private readonly notices: NoticesService) {}

  @Post()
  @Allow('CREATE', 'notificationsvc:notification', { nsfilter: 'optional' })
  @HttpCode(200)
  @ApiOperation({
    operationId: 'tellNotice',
    summary: 'Tells something to whoever triggers say',
    description: 'An event `resource.ResourceCreated` of the type `notificationsvc.Notice`, to be met by filters such as `{ "resource.type": "notificationsvc.Notice", "resource._name": "Nightly import*" }`. Who hears of it is for the triggers, groups and subscriptions of the namespace; where none matches, nobody does.',
  })
  @ApiBody({ type: NoticeDto })
  @ApiOkResponse({ type: ToldNoticeDto, description: 'It is on its way' })
  @ApiBadRequestResponse({ description: 'Every bad field' })
  @ApiForbiddenResponse({ description: 'Without CREATE on notificationsvc:notification in the namespace' })
  async tell(@Ctx() ctx: RequestContext, @Body() body: unknown): Promise<ToldNoticeDto> {
    return this.notices.tell(ctx, parseNotice(body));
  }
}
