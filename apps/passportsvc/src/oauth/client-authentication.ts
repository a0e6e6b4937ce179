import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ClientSecrets } from '../clients/client-secrets';
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

/** RFC 6749 section 2.3 for the endpoints that are ours: HTTP Basic, or `client_id` and `client_secret` in the form. */
@Injectable()
export class ClientAuthentication {
  constructor(
    private readonly clients: OidcClients,
    private readonly secrets: ClientSecrets,
  ) {}

  async authenticate(request: FastifyRequest, form: Form): Promise<AuthenticatedClient | undefined> {
    const basic = fromBasic(request.headers.authorization);
    if (basic !== undefined && contradicts(form, basic.id)) return undefined;
    const shown = basic ?? fromForm(form);
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

/** Both parts are form-encoded (RFC 6749 section 2.3.1). */
const decode = (text: string) => decodeURIComponent(text.replaceAll('+', '%20'));

function fromBasic(header: string | undefined): ShownCredentials | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  try {
    return { id: decode(id), secret: decode(secret) };
  } catch {
    return undefined;
  }
}

/** One mechanism and no more (RFC 6749 section 2.3), for one client. */
const contradicts = ({ client_id: id, client_secret: secret }: Form, shownId: string) => secret !== undefined || (id !== undefined && id !== shownId);

const fromForm = ({ client_id: id, client_secret: secret }: Form): ShownCredentials | undefined =>
  typeof id === 'string' ? { id, secret: typeof secret === 'string' ? secret : undefined } : undefined;
