import { Injectable } from '@nestjs/common';
import { Passport, type PassportStatic } from 'passport';
import type { UserEntity } from '../users/user.entity';
import { PasswordStrategy, type SignInAttempt } from './password.strategy';
import { SignIn, type SignInResult } from './sign-in.service';

/**
 * The ways to sign in, each a Passport strategy. Sessions are oidc-provider's, so Passport keeps none; what it gives is one
 * shape for a password and for the identity providers of organizations.
 */
@Injectable()
export class SignInMethods {
  private readonly passport = new Passport() as PassportStatic;

  constructor(signIn: SignIn) {
    this.passport.use(new PasswordStrategy(signIn));
  }

  authenticate(method: 'password', attempt: SignInAttempt): Promise<SignInResult> {
    return new Promise((resolve, reject) => {
      const answer = (error: unknown, _user?: UserEntity | false, result?: SignInResult) => {
        if (error !== null && error !== undefined) reject(error as Error);
        else resolve(result ?? { outcome: 'refused' });
      };
      const handle = this.passport.authenticate(method, { session: false }, answer) as (request: SignInAttempt, response: object, next: (error?: unknown) => void) => void;
      handle({ ...attempt }, {}, (error) => reject(error as Error));
    });
  }
}
