import { Inject, Injectable } from '@nestjs/common';
import { conflict, type FieldIssue, forbidden, invalid, newUuid, ServiceError } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { newUser, type UserEntity } from '../users/user.entity';
import { userCreated } from '../users/user.events';
import { toEmail, UsersRepository } from '../users/users.repository';
import { AddressConfirmation } from './address-confirmation';
import { passwordIssues, Passwords } from './passwords';
import { RecentSignUps } from './recent-sign-ups';

export interface SignUp {
  readonly email: string;
  readonly password: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly locale: string | null;
}

export interface SignUpOrigin {
  readonly address: string;
  readonly requestId: string;
}

/** New accounts (contract 1.2). A known address is told, which is why so few can be tried. */
@Injectable()
export class SignUps {
  private readonly recent: RecentSignUps;

  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: Passwords,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly outbox: Outbox,
    private readonly confirmation: AddressConfirmation,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {
    this.recent = new RecentSignUps(settings.SIGN_UPS_PER_MINUTE);
  }

  async create({ email, password, ...names }: SignUp, origin: SignUpOrigin): Promise<UserEntity> {
    if (this.settings.SIGN_UP === 'off') throw forbidden('Sign-up is switched off here');
    this.slowDown(origin.address);
    const issues: FieldIssue[] = passwordIssues(password, '_password', email);
    if (issues.length > 0) throw invalid(issues.map(({ field, issue }) => `${field}: ${issue}`).join('; '), issues);
    if ((await this.users.findByEmail(email)) !== undefined) throw conflict('There is an account with this e-mail address already');

    const id = newUuid();
    const user = newUser({ id, email: toEmail(email), passwordHash: await this.passwords.hash(password), createdById: id, ...names });
    const event = userCreated(user, { userId: id, requestId: origin.requestId });
    await this.unitOfWork.run(async (tx) => {
      await this.users.insert(tx, user);
      await this.confirmation.ask(tx, user);
      await this.outbox.append(tx, event);
    });
    return user;
  }

  private slowDown(address: string): void {
    const seconds = this.recent.add(address, Date.now());
    if (seconds > 0) throw new ServiceError('too_many_requests', 'Too many sign-ups from this address', { retryAfter: seconds });
  }
}
