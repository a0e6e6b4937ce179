import type { ResourceType } from '../contract/catalogue';
import { RESOURCE_TYPES } from '../contract/catalogue';
import type { ResourceEvent } from '../contract/event';

const HANDLER = Symbol('twinyard:on-event');
const IN_BATCHES = Symbol('twinyard:in-batches');

type HandlerMethod<T extends ResourceType> = (tx: never, event: ResourceEvent<T>) => Promise<void>;
type HandlerDecorator<T extends ResourceType> = <M extends HandlerMethod<T>>(target: object, name: string | symbol, descriptor: TypedPropertyDescriptor<M>) => void;

/**
 * Has a method of a provider handle the events of these types:
 *
 *     @Injectable()
 *     export class FileEvents {
 *       @OnEvent('filesvc.File', 'filesvc.FileVersion')
 *       async count(tx: SqlTx, event: ResourceEvent<'filesvc.File' | 'filesvc.FileVersion'>): Promise<void> { … }
 *     }
 *
 * `tx` is a transaction of the service's own `UnitOfWork`: it also holds the mark that this event is handled, so write through it and
 * do nothing outside of it. `event.resource.type` tells the types apart, `event.event` the three verbs. Throw to have it tried again.
 * The handler is known in the inbox as `<class>.<method>`: renaming it makes it a new handler.
 */
export function OnEvent<const T extends ResourceType>(...types: T[]): HandlerDecorator<T> {
  return mark(types);
}

/** As `OnEvent`, for all types there are. */
export function OnEveryEvent(): HandlerDecorator<ResourceType> {
  return mark(RESOURCE_TYPES);
}

type BatchMethod<T extends ResourceType> = (tx: never, events: readonly ResourceEvent<T>[]) => Promise<void>;
type BatchDecorator<T extends ResourceType> = <M extends BatchMethod<T>>(target: object, name: string | symbol, descriptor: TypedPropertyDescriptor<M>) => void;

/**
 * As `OnEvent`, many at once: the method gets all events of a batch that it has not handled before, in the order of their partition,
 * and one transaction for them. When it throws, none of them is handled, and each comes again by itself.
 */
export function OnEventInBatches<const T extends ResourceType>(...types: T[]): BatchDecorator<T> {
  return markBatches(types);
}

/** As `OnEventInBatches`, for all types there are. */
export function OnEveryEventInBatches(): BatchDecorator<ResourceType> {
  return markBatches(RESOURCE_TYPES);
}

export const handlesBatches = (method: object): boolean => Reflect.getMetadata(IN_BATCHES, method) === true;

function mark<T extends ResourceType>(types: readonly T[]): HandlerDecorator<T> {
  return (_target, _name, descriptor) => {
    Reflect.defineMetadata(HANDLER, types, descriptor.value as object);
  };
}

function markBatches<T extends ResourceType>(types: readonly T[]): BatchDecorator<T> {
  return (_target, _name, descriptor) => {
    Reflect.defineMetadata(HANDLER, types, descriptor.value as object);
    Reflect.defineMetadata(IN_BATCHES, true, descriptor.value as object);
  };
}

/** The types that a method handles; nothing for a method that was not marked. */
export function handledTypes(method: object): readonly ResourceType[] | undefined {
  return Reflect.getMetadata(HANDLER, method) as readonly ResourceType[] | undefined;
}
