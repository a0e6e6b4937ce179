import { PlatformError } from '../../../platform-client/platform-error';

/** The other side refused, broke off or was not reached. With its status, where it answered with one: 400 and 403 are for good, as the platform's own are. */
export class EndpointError extends PlatformError {
  constructor(message: string, status?: number) {
    super(message, status);
    this.name = 'EndpointError';
  }
}
