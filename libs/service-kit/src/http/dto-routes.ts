import { type INestApplication, type PipeTransform, type RequestMethod, UsePipes } from '@nestjs/common';
import { METHOD_METADATA, PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';

type Controller = Readonly<Record<string, object>>;

/** A process may build a service more than once, and a route keeps what it was given. */
const checked = new WeakSet<object>();

type Class = abstract new (...args: never[]) => unknown;

/**
 * Gives the pipe to the routes that take classes. As a global one Nest takes each parameter of every route past it, with half a dozen promises each that come to nothing
 * where it is a text or a plain object: a twentieth of what a get takes (docs/performance/items.md).
 */
export function checkDtos(app: INestApplication, pipe: PipeTransform): void {
  for (const { controller, name, handler, classes } of routesOf(app)) {
    if (checked.has(handler) || classes.length === 0) continue;
    checked.add(handler);
    UsePipes(pipe)(controller, name, { value: handler });
  }
}

/** The classes that routes take, by their names. */
export const classesOfRoutes = (app: INestApplication): ReadonlyMap<string, Class> => new Map(routesOf(app).flatMap(({ classes }) => classes.map((one) => [one.name, one])));

interface Route {
  readonly controller: Controller;
  readonly name: string;
  readonly handler: object;
  readonly classes: readonly Class[];
}

function routesOf(app: INestApplication): readonly Route[] {
  const discovery = new DiscoveryService(app.get(ModulesContainer));
  return discovery.getControllers().flatMap(({ metatype }) => {
    if (typeof metatype !== 'function') return [];
    const controller = metatype.prototype as Controller;
    return new MetadataScanner().getAllMethodNames(controller).map((name) => ({ controller, name, handler: controller[name] as object }))
      .filter(({ handler }) => isRoute(handler)).map((route) => ({ ...route, classes: classesTaken(metatype, controller, route.name) }));
  });
}

const isRoute = (handler: object) => (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined) !== undefined;

function classesTaken(metatype: object, controller: Controller, name: string): readonly Class[] {
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, controller, name) ?? []) as readonly Class[];
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, metatype, name) ?? {}) as Readonly<Record<string, { readonly index: number }>>;
  return Object.entries(args).flatMap(([key, { index }]) => types.slice(index, index + 1).filter((type) => isChecked(Number(key.split(':', 1)[0]), type)));
}

/** Parts of a path are texts, and what is a plain object is checked by hand. */
function isChecked(kind: RouteParamtypes, type: unknown): boolean {
  if (type === undefined || type === Object) return false;
  return kind === RouteParamtypes.BODY || kind === RouteParamtypes.QUERY || (kind === RouteParamtypes.PARAM && type !== String);
}
