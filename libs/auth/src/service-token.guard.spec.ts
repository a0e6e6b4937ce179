import type { ExecutionContext } from '@nestjs/common';
import { ServiceTokenGuard } from './service-token.guard';

const requestWith = (authorization?: string) => ({ switchToHttp: () => ({ getRequest: () => ({ headers: { authorization } }) }) }) as unknown as ExecutionContext;

describe('the guard of internal routes', () => {
  it('takes the service token, and the other one while it is being replaced', () => {
    const guard = new ServiceTokenGuard(['the-new-service-token', 'the-old-service-token']);
    expect(guard.canActivate(requestWith('Bearer the-new-service-token'))).toBe(true);
    expect(guard.canActivate(requestWith('Bearer the-old-service-token'))).toBe(true);
    for (const other of [undefined, '', 'Bearer ', 'Bearer undefined', 'the-new-service-token', 'Bearer the-new-service-token ']) {
      expect(() => guard.canActivate(requestWith(other))).toThrow(expect.objectContaining({ code: 'unauthenticated' }) as Error);
    }
  });
});
