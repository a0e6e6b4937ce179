import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { map, type Observable } from 'rxjs';
import { type AuthenticatedRequest, ROUTE_RULE, type RouteRule } from './decorators';

/** Withholds the answer of an `@Allow` route whose service never asked what the caller may do: a forgotten check fails, loudly. */
@Injectable()
export class ConsultationInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, context.getHandler());
    if (rule?.kind !== 'allow') return next.handle();
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (request.ctx?.access.consulted === true) return answer;
        throw new Error(`${context.getClass().name}.${context.getHandler().name} answered without asking for permission`);
      }),
    );
  }
}
