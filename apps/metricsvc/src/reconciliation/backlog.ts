import { Injectable } from '@nestjs/common';
import { EventBus } from '@twinyard/events';
import type { SourceTopic } from '../rebuild/rebuild-sources';

/** The group by which metricsvc counts events. */
const GROUP = 'metricsvc';

/** Events that were told and are not counted yet. */
@Injectable()
export class Backlog {
  constructor(private readonly bus: EventBus) {}

  /** Whether there is none of a topic; false when nobody can say. */
  async isEmpty(topic: SourceTopic): Promise<boolean> {
    const statistics = await this.bus.statistics().catch(() => undefined);
    return statistics !== undefined && statistics.lag.every((lag) => lag.group !== GROUP || lag.topic !== topic || lag.events === 0);
  }
}
