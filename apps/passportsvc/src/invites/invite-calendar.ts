import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ServiceError } from '@twinyard/conventions';
import { resourceUpdated } from '@twinyard/events';
import { type HoldRun, Schedules } from '@twinyard/jobs';
import { LOGGER, type Logger, type TypeOrmTx } from '@twinyard/service-kit';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { toInviteEvent } from './invites.events';
import { InvitesRepository } from './invites.repository';
import { InviteJournal } from './invites.service';

const INVITE_DATES = 'passportsvc.invite-dates';

/** What happens to invites with time: a reminder at half of their life, and their end. One of all replicas looks; one that was taken over meanwhile writes to nobody. */
@Injectable()
export class InviteCalendar implements OnModuleInit {
  constructor(
    private readonly invites: InvitesRepository,
    private readonly journal: InviteJournal,
    private readonly schedules: Schedules,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.schedules.every(INVITE_DATES, { everyMs: this.settings.INVITE_POLL_MS }, (_signal, hold) => this.look(hold));
  }

  private async look(hold: HoldRun): Promise<void> {
    await this.journal.unitOfWork.run((tx) => this.remind(tx, hold));
    await this.journal.unitOfWork.run((tx) => this.expire(tx, hold));
  }

  private async remind(tx: TypeOrmTx, hold: HoldRun): Promise<void> {
    const due = await this.invites.takeReminders(tx);
    if (due.length === 0) return;
    await hold(tx);
    for (const { invite, group } of await this.invites.join(due)) {
      await this.journal.mails.queue(tx, invite, group, 'USER_GROUP_INVITE_REMINDER').catch((error: unknown) => this.passOver(invite.id, error));
    }
  }

  /** A template has grown, or what stands in it: the reminder of one tenant does not keep those of others back. */
  private passOver(inviteId: string, error: unknown): void {
    if (!(error instanceof ServiceError) || error.code !== 'limit_exceeded') throw error;
    this.logger.warn({ inviteId, reason: error.message }, 'nobody is reminded of an invite');
  }

  private async expire(tx: TypeOrmTx, hold: HoldRun): Promise<void> {
    const over = await this.invites.expire(tx);
    if (over.length === 0) return;
    await hold(tx);
    const expired = await this.invites.join(over);
    await this.journal.outbox.append(tx, ...expired.map(({ invite, group }) =>
      resourceUpdated('passportsvc.Invite', toInviteEvent(invite, group), { userId: invite.createdById, requestId: invite.id })));
  }
}
