import { Injectable } from '@nestjs/common';
import { conflict, type FieldIssue, forbidden, invalidFields, newUuid, ServiceError } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { newUser, type UserEntity } from '../users/user.entity';
import { userCreated } from '../users/user.events';
import { toEmail, UsersRepository } from '../users/users.repository';
import { AddressConfirmation, type AskedOn } from './address-confirmation';
import { passwordIssues, Passwords } from './passwords';
import { SignUpAdmission, type SignUpOrigin } from './sign-up-admission';

export interface SignUp {
  readonly email: string;
  readonly password: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly locale: string | null;
}

/** New accounts (contract 1.2). */
@Injectable()
export class SignUps {
  constructor(
    private readonly users: UsersRepository,
    private readonly passwords: Passwords,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly outbox: Outbox,
    private readonly confirmation: AddressConfirmation,
    private readonly admission: SignUpAdmission,
  ) {}

  /** Through the API. A known address is told, which is why so few can be tried. */
  async create(signUp: SignUp, origin: SignUpOrigin): Promise<UserEntity> {
    await this.admission.begin(origin.address);
    refuse(passwordIssues(signUp.password, '_password', signUp.email));
    if (!(await this.admission.admits(signUp.email))) throw forbidden('Accounts are made by invitation here');
    if ((await this.users.findByEmail(signUp.email)) !== undefined) throw conflict('There is an account with this e-mail address already');
    return this.insert(await this.toUser(signUp), origin);
  }

  /**
   * On the page, which tells nobody whether there is an account: whoever reads the mail of the address learns it there. Answers
   * the id of the new account, or one that nobody has; both take a password's hash and one write.
   */
  async ask(signUp: SignUp, origin: SignUpOrigin, asked: AskedOn): Promise<string> {
    await this.admission.begin(origin.address);
    refuse(passwordIssues(signUp.password, 'password', signUp.email));
    const [user, isAdmitted, known] = await Promise.all([this.toUser(signUp), this.admission.admits(signUp.email), this.users.findByEmail(signUp.email)]);
    if (known !== undefined) await this.unitOfWork.run((tx) => this.confirmation.tellKnown(tx, known, origin.requestId, asked));
    else if (isAdmitted) await this.insert(user, origin, asked).catch(unlessTaken);
    return user.id;
  }

  private async toUser({ email, password, ...names }: SignUp): Promise<UserEntity> {
    const id = newUuid();
    return newUser({ id, email: toEmail(email), passwordHash: await this.passwords.hash(password), createdById: id, ...names });
  }

  private async insert(user: UserEntity, origin: SignUpOrigin, asked?: AskedOn): Promise<UserEntity> {
    const event = userCreated(user, { userId: user.id, ...origin });
    await this.unitOfWork.run(async (tx) => {
      await this.users.insert(tx, user);
      await this.confirmation.ask(tx, user, origin.requestId, asked);
      await this.outbox.append(tx, event);
    });
    return user;
  }
}

function refuse(issues: readonly FieldIssue[]): void {
  if (issues.length > 0) throw invalidFields(issues);
}

/** Two people at the same moment: the second one learns no more than later ones do. */
function unlessTaken(error: unknown): void {
  if (!(error instanceof ServiceError) || error.code !== 'conflict') throw error;
}
