import { Module } from '@nestjs/common';
import { deviceKind } from '../kinds/device.kind';
import { groupKind } from '../kinds/group.kind';
import { senderKind } from '../kinds/sender.kind';
import { subscriptionKind } from '../kinds/subscription.kind';
import { templateKind } from '../kinds/template.kind';
import { triggerKind } from '../kinds/trigger.kind';
import { Confirmations } from '../confirmations/confirmations.repository';
import { DeliveryLanes } from '../deliveries/delivery-lanes.repository';
import { DeliveryOrders } from '../deliveries/delivery-orders';
import { DeviceSecrets } from './device-secrets';
import { resourceController } from './resource-controller';
import { ResourcesPurge } from './resources-purge';
import { ResourcesRepository } from './resources.repository';
import { ResourcesService } from './resources.service';

@Module({
  controllers: [triggerKind, senderKind, templateKind, groupKind, deviceKind, subscriptionKind].map((kind) => resourceController(kind as never)),
  providers: [Confirmations, DeliveryLanes, DeliveryOrders, DeviceSecrets, ResourcesPurge, ResourcesRepository, ResourcesService],
  exports: [DeliveryLanes, DeliveryOrders, DeviceSecrets, ResourcesRepository],
})
export class ResourcesModule {}
