import { Global, Module } from '@nestjs/common';
import { Passwords } from '../accounts/passwords';
import { ClientSecrets } from '../clients/client-secrets';
import { ClientsRepository } from '../clients/clients.repository';
import { OidcStateRepository } from '../oauth/oidc-state.repository';
import { AttemptCountsRepository } from './attempts/attempt-counts.repository';
import { AttemptLimit } from './attempts/attempt-limit';
import { ExpirySweep } from './expiry-sweep';
import { KnownDevices } from './known-devices';
import { Liveness } from './liveness';
import { RevocationsRepository } from './revocations.repository';
import { SessionController } from './session.controller';
import { Sessions } from './sessions.service';
import { SignIn } from './sign-in.service';
import { SignInMethods } from './sign-in-methods';
import { SignInFailuresRepository } from './sign-in-failures.repository';

/** Who is signed in, and what ended before its time. */
@Global()
@Module({
  controllers: [SessionController],
  providers: [AttemptCountsRepository, AttemptLimit, ExpirySweep, Sessions, Liveness, SignIn, SignInMethods, KnownDevices, Passwords, RevocationsRepository, SignInFailuresRepository, OidcStateRepository, ClientsRepository, ClientSecrets],
  exports: [AttemptCountsRepository, AttemptLimit, Sessions, Liveness, SignIn, SignInMethods, KnownDevices, Passwords, RevocationsRepository, SignInFailuresRepository, OidcStateRepository, ClientsRepository, ClientSecrets],
})
export class SessionsModule {}
