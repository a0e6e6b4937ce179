import { type INestApplication, type PipeTransform, type RequestMethod, UsePipes } from '@nestjs/common';
import { METHOD_METADATA, PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';

type Controller = Readonly<Record<string, object>>;

/** A process may build a service more than once, and a route keeps what it was given. */
const checked = new WeakSet<object>();

/**
 * Gives the pipe to the routes that take classes. As a global one Nest takes each parameter of every route past it, with half a dozen promises each that come to nothing
 * where it is a text or a plain object: a twentieth of what a get takes (docs/performance/items.md).
 */
export function checkDtos(app: INestApplication, pipe: PipeTransform): void {
  for (const { metatype } of app.get(DiscoveryService, { strict: false }).getControllers()) {
    if (typeof metatype !== 'function') continue;
    const controller = metatype.prototype as Controller;
    for (const name of new MetadataScanner().getAllMethodNames(controller)) {
      const handler = controller[name] as object;
      if (checked.has(handler) || !isRoute(handler) || !takesClass(metatype, controller, name)) continue;
      checked.add(handler);
      UsePipes(pipe)(controller, name, { value: handler });
    }
  }
}

const isRoute = (handler: object) => (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined) !== undefined;

function takesClass(metatype: object, controller: Controller, name: string): boolean {
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, controller, name) ?? []) as readonly unknown[];
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, metatype, name) ?? {}) as Readonly<Record<string, { readonly index: number }>>;
  return Object.entries(args).some(([key, { index }]) => isChecked(Number(key.split(':', 1)[0]), types[index]));
}

/** Parts of a path are texts, and what is a plain object is checked by hand. */
function isChecked(kind: RouteParamtypes, type: unknown): boolean {
  if (type === undefined || type === Object) return false;
  return kind === RouteParamtypes.BODY || kind === RouteParamtypes.QUERY || (kind === RouteParamtypes.PARAM && type !== String);
}
