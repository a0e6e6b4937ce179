import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ClientSecrets } from '../clients/client-secrets';
import { type BasicCredentials, clientReadings, readBasic, writeBasic } from './basic-credentials';
import { OidcClients } from './oidc-clients';

export interface AuthenticatedClient {
  readonly id: string;
  readonly isConfidential: boolean;
  /** A client of the platform itself (contract 1.3), not an application. */
  readonly isPlatformClient: boolean;
  readonly organizationId?: string;
}

interface ShownCredentials {
  readonly id: string;
  readonly secret: string | undefined;
}

type Form = Readonly<Record<string, unknown>>;

/** RFC 6749 section 2.3: HTTP Basic, or `client_id` and `client_secret` in the form. */
@Injectable()
export class ClientAuthentication {
  constructor(
    private readonly clients: OidcClients,
    private readonly secrets: ClientSecrets,
  ) {}

  /** For the endpoints that are ours. */
  async authenticate(request: FastifyRequest, form: Form): Promise<AuthenticatedClient | undefined> {
    const basic = readBasic(request.headers.authorization);
    if (basic === undefined) return this.clientOf(fromForm(form));
    for (const reading of clientReadings(basic)) {
      const client = contradicts(form, reading.id) ? undefined : await this.clientOf(reading);
      if (client !== undefined) return client;
    }
    return undefined;
  }

  /** For those of the library, which knows the form-encoded reading alone: the same credentials in it. Of another header, itself. */
  async inOneReading(header: string | undefined): Promise<string | undefined> {
    const basic = readBasic(header);
    if (basic === undefined) return header;
    const readings = clientReadings(basic);
    return writeBasic(readings.length === 1 ? basic : await this.knownAmong(readings, basic));
  }

  private async knownAmong(readings: readonly BasicCredentials[], otherwise: BasicCredentials): Promise<BasicCredentials> {
    for (const reading of readings) if ((await this.clientOf(reading)) !== undefined) return reading;
    return otherwise;
  }

  private async clientOf(shown: ShownCredentials | undefined): Promise<AuthenticatedClient | undefined> {
    if (shown === undefined) return undefined;
    const client = await this.clients.find(shown.id);
    if (client === undefined) return undefined;
    const hash = client['client_secret'];
    const isConfidential = typeof hash === 'string';
    if (isConfidential ? !this.secrets.matches(shown.secret ?? '', hash) : shown.secret !== undefined) return undefined;
    const organizationId = client['organization_id'] as string | undefined;
    return { id: shown.id, isConfidential, isPlatformClient: client['first_party'] === undefined, ...(organizationId !== undefined && { organizationId }) };
  }
}

/** One mechanism and no more (RFC 6749 section 2.3), for one client. */
const contradicts = ({ client_id: id, client_secret: secret }: Form, shownId: string) => secret !== undefined || (id !== undefined && id !== shownId);

const fromForm = ({ client_id: id, client_secret: secret }: Form): ShownCredentials | undefined =>
  typeof id === 'string' ? { id, secret: typeof secret === 'string' ? secret : undefined } : undefined;
