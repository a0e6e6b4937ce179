import { Controller, Get, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createService, defineService, baseSettings } from '@twinyard/service-kit';
import { eventually, FakePassport, testSettings } from '@twinyard/testing';
import request from 'supertest';
import { Allow, AllowSignedIn, AuthModule, Ctx, GrantSource, Public, RequestContext, SyncedGrantSource } from '../src';

@Controller('aisvc/api/v1/things')
class ThingsController {
  @Get('mine')
  @AllowSignedIn()
  mine(@Ctx() ctx: RequestContext): object {
    return { id: ctx.callerId, scopes: ctx.principal.scopes };
  }

  @Get('open')
  @Public()
  open(): object {
    return { open: true };
  }

  @Get('forgotten')
  @Allow('READ', 'aisvc:team')
  forgotten(): object {
    return { secret: 'told to everybody' };
  }

  @Get('script')
  @Allow('READ', 'aisvc:team', { queryToken: true })
  script(@Ctx() ctx: RequestContext): object {
    return { areas: ctx.access.scope('READ', 'aisvc:team').areas.length };
  }
}

@Controller('aisvc/api/v1/undecided')
class UndecidedController {
  @Get()
  nobodySaid(): object {
    return {};
  }
}

const never = { name: 'x', url: 'postgres://nobody@127.0.0.1:1/x', drop: () => Promise.resolve() };

describe('the guard', () => {
  let passport: FakePassport;
  let app: NestFastifyApplication;

  const boot = async (controllers: (new () => object)[], settings: { readonly RATE_LIMIT_PER_MINUTE?: number } = {}) => {
    @Module({})
    class TestModule {}
    const definition = defineService({
      name: 'aisvc', settings: baseSettings, openApi: { title: 'Test', description: '' },
      module: (settings) => ({ module: TestModule, imports: [AuthModule.forService('aisvc', settings)], controllers }),
    });
    const booted = await createService(definition, { ...testSettings(passport, never, never), ...settings });
    await booted.listen(0, '127.0.0.1');
    return booted;
  };

  beforeAll(async () => {
    passport = await FakePassport.start();
    app = await boot([ThingsController]);
  });

  afterAll(async () => {
    await app?.close();
    await passport?.stop();
  });

  const get = (path: string, token?: string) => {
    const call = request(app.getHttpServer()).get(`/aisvc/api/v1/things/${path}`);
    return token === undefined ? call : call.set('authorization', `Bearer ${token}`);
  };

  it('refuses to boot with a route that says neither who may call it nor that anybody may', async () => {
    await expect(boot([UndecidedController])).rejects.toThrow('UndecidedController.nobodySaid');
  });

  it('counts a caller by itself once its token was verified, and whoever makes tokens up by its address', async () => {
    const strict = await boot([ThingsController], { RATE_LIMIT_PER_MINUTE: 3 });
    const token = await passport.token('alice');
    const ask = async (shown: string) => (await request(strict.getHttpServer()).get('/aisvc/api/v1/things/mine').set('authorization', `Bearer ${shown}`)).status;
    expect([await ask(token), await ask(token)]).toEqual([200, 200]);
    expect([await ask('a'), await ask('b'), await ask('c')]).toEqual([401, 401, 429]);
    expect([await ask(token), await ask(token), await ask(token)]).toEqual([200, 200, 429]);
    await strict.close();
  });

  it('withholds the answer of a route that never asked for permission', async () => {
    await passport.grant('alice', 'a_12345678', ['*']);
    const { body } = await get('forgotten?nsfilter=a_12345678', await passport.token('alice')).expect(500);
    expect(JSON.stringify(body)).not.toContain('told');
    expect(body).toMatchObject({ code: 'internal', message: 'Something went wrong on our side' });
  });

  it.each([
    ['nothing', () => undefined, /^is missing: send `Bearer <token>`/], ['no JWT', () => 'abc', /^is no token: send `Bearer <token>`/],
    ['an unsigned one', () => `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.e30.e30`, /^its token is not one of this platform: .* clients get a token from \/passportsvc\/api\/v2\/oauth\/token$/],
    ['one of long ago', () => passport.token('alice', { expiresIn: -60 }), /^its token has expired: get a new one$/],
  ])('answers 401 to %s, and says what is wrong', async (_, token, issue) => {
    const { body, headers } = await get('mine', await token()).expect(401);
    expect([body.message, headers['www-authenticate']]).toEqual(['Full authentication is required to access this resource', 'Bearer']);
    expect(body.details).toEqual([{ field: 'Authorization', issue: expect.stringMatching(issue) }]);
  });

  it('refuses a token of another issuer, audience, type, algorithm or key', async () => {
    const { SignJWT, generateKeyPair } = await import('jose');
    const { privateKey } = await generateKeyPair('ES256');
    const forge = (changes: { typ?: string; iss?: string; aud?: string; kid?: string }) =>
      new SignJWT({ client_id: 'app', scope: 'read' }).setProtectedHeader({ alg: 'ES256', typ: changes.typ ?? 'at+jwt', kid: changes.kid ?? 'test' })
        .setIssuer(changes.iss ?? `${passport.baseUrl}/passportsvc`).setAudience(changes.aud ?? passport.baseUrl).setSubject('alice').setJti('1').setExpirationTime('5m').sign(privateKey);
    for (const token of [await forge({}), await forge({ kid: 'other' }), await forge({ typ: 'JWT' }), await forge({ iss: 'https://evil' }), await forge({ aud: 'x' })]) {
      await get('mine', token).expect(401);
    }
    const secret = await new SignJWT({ client_id: 'app' }).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'test' }).setIssuer(`${passport.baseUrl}/passportsvc`)
      .setAudience(passport.baseUrl).setSubject('alice').setJti('1').setExpirationTime('5m').sign(Buffer.from('x'.repeat(32)));
    await get('mine', secret).expect(401);
  });

  it('takes a token in the query only where the route says so', async () => {
    const token = await passport.token('alice');
    await get(`script?nsfilter=a_12345678&access_token=${token}`).expect(200);
    await get(`mine?access_token=${token}`).expect(401);
  });

  it('lets a disabled user in nowhere, from the moment the call that disabled it returned', async () => {
    const token = await passport.token('mallory');
    await get('mine', token).expect(200);
    await passport.disable('mallory');
    const { body } = await get('mine', token).expect(401);
    expect(body.details).toEqual([{ field: 'Authorization', issue: expect.stringMatching(/^its token is valid no longer: .*; sign in again, clients get a token from \/passportsvc\/api\/v2\/oauth\/token$/) }]);
  });

  it('answers 503, not 401, to a token whose key cannot be fetched', async () => {
    const gone = await FakePassport.start();
    const token = await gone.token('alice');
    const settings = testSettings(gone, never, never);
    await gone.stop();
    const definition = defineService({
      name: 'aisvc', settings: baseSettings, openApi: { title: 'Test', description: '' },
      module: () => ({ module: class Cold {}, imports: [AuthModule.forService('aisvc', settings)], controllers: [ThingsController] }),
    });
    const cold = await createService(definition, settings);
    await cold.listen(0, '127.0.0.1');
    const { body } = await request(cold.getHttpServer()).get('/aisvc/api/v1/things/mine').set('authorization', `Bearer ${token}`).expect(503);
    expect(body.code).toBe('unavailable');
    await cold.close();
  });

  it('asks passportsvc itself while it holds no lease, and answers 503 when that is gone', async () => {
    const own = await FakePassport.start();
    const definition = defineService({
      name: 'aisvc', settings: baseSettings, openApi: { title: 'Test', description: '' },
      module: (settings) => ({ module: class Alone {}, imports: [AuthModule.forService('aisvc', settings)], controllers: [ThingsController] }),
    });
    const alone = await createService(definition, testSettings(own, never, never));
    await alone.listen(0, '127.0.0.1');
    const token = await own.token('alice');
    const ask = () => request(alone.getHttpServer()).get('/aisvc/api/v1/things/mine').set('authorization', `Bearer ${token}`);
    const source = alone.get(GrantSource) as SyncedGrantSource;
    await eventually(() => expect(source.hasLease).toBe(true));
    await ask().expect(200);
    await own.stop();
    await eventually(() => expect(source.hasLease).toBe(false));
    const { headers } = await ask().expect(503);
    expect(headers['retry-after']).toBe('1');
    await alone.close();
  });

  it('lets an application use a preflight with every header of the contract', async () => {
    const wanted = 'authorization, content-type, idempotency-key, if-match, last-event-id, tus-resumable, upload-offset, x-request-id';
    const { headers } = await request(app.getHttpServer()).options('/aisvc/api/v1/things/mine')
      .set({ origin: passport.baseUrl, 'access-control-request-method': 'PATCH', 'access-control-request-headers': wanted }).expect(204);
    expect(headers['access-control-allow-origin']).toBe(passport.baseUrl);
    expect(headers['access-control-allow-methods']).toContain('PATCH');
    for (const name of wanted.split(', ')) expect(headers['access-control-allow-headers']).toContain(name);
    const stranger = await request(app.getHttpServer()).options('/aisvc/api/v1/things/mine').set({ origin: 'https://evil.example', 'access-control-request-method': 'GET' });
    expect(stranger.headers['access-control-allow-origin']).toBeUndefined();
  });
});
