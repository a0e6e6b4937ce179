import { Global, Module } from '@nestjs/common';
import { NotificationTemplatesController } from './notification-templates.controller';
import { NotificationTemplatesRepository } from './notification-templates.repository';
import { NotificationTemplatesService } from './notification-templates.service';

@Global()
@Module({
  controllers: [NotificationTemplatesController],
  providers: [NotificationTemplatesRepository, NotificationTemplatesService],
  exports: [NotificationTemplatesRepository],
})
export class NotificationTemplatesModule {}
