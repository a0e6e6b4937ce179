import type { PassportClient, RunSecret } from '@twinyard/auth';
import { invalid, type Principal, type ServiceError } from '@twinyard/conventions';
import { PassingFailure } from './platform-error';
import type { PlatformHttp } from './http/platform-http';

/** Secrets of the run's namespaces, as far as the run may READ them. For what a component sends; a value is in no log, result or message. */
export class RunSecrets {
  constructor(
    private readonly passport: Pick<PassportClient, 'runSecrets'>,
    private readonly run: Principal,
    private readonly http: Pick<PlatformHttp, 'retrying'>,
  ) {}

  /** By their names. @throws ServiceError `invalid` where one is not there, or is not to be seen by the run. */
  async tell(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (names.length === 0) return new Map();
    const { secrets } = await this.http.retrying(() => this.passport.runSecrets({ principal: this.run, names }).catch((cause: unknown) => {
      throw new PassingFailure('The identity service tells no secrets', undefined, { cause });
    }));
    return new Map(secrets.map((secret) => {
      if (secret.verdict !== 'told') throw untold(secret);
      return [secret.name, secret.value];
    }));
  }
}

const untold = ({ name, verdict }: RunSecret): ServiceError =>
  invalid(verdict === 'ambiguous' ? `Several namespaces of the run have a secret ${JSON.stringify(name)}` : `There is no secret ${JSON.stringify(name)} that the run may read`);
