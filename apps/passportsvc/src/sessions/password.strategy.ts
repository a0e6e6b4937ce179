import { Strategy } from 'passport';
import type { Credentials, SignIn } from './sign-in.service';

/** What the sign-in page hands to a strategy. */
export interface SignInAttempt {
  readonly body: Credentials;
  readonly ip: string;
  /** The request's `Cookie` header. */
  readonly cookies?: string | undefined;
}

/** E-mail address and password as a Passport strategy: one way to sign in among those that an organization may have. */
export class PasswordStrategy extends Strategy {
  override readonly name = 'password';

  constructor(private readonly signIn: SignIn) {
    super();
  }

  override authenticate(attempt: unknown): void {
    const { body, ip, cookies } = attempt as SignInAttempt;
    this.signIn.run(body, { address: ip, cookies }).then(
      (result) => (result.outcome === 'signed-in' ? this.success(result.user, result) : this.fail(result as never, result.outcome === 'slowed' ? 429 : 401)),
      (error: unknown) => this.error(error),
    );
  }
}
