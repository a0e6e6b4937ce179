import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ScimError, toScimErrorBody } from './scim-error';

/** Refusals of SCIM's own rules, with their keyword. All others are put into SCIM's shape on their way out (`answerInScim`). */
@Catch(ScimError)
export class ScimErrorFilter implements ExceptionFilter<ScimError> {
  catch(error: ScimError, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply.status(error.status).send(toScimErrorBody(error.status, error.message, error.scimType));
  }
}
