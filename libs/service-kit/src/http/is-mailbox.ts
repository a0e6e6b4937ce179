import { hostNameOf, mailboxOf } from '@twinyard/conventions';
import { buildMessage, ValidateBy, type ValidationOptions } from 'class-validator';

/** The address of one mailbox (`mailboxOf`), and nothing beside it. */
export const IsMailbox = (): PropertyDecorator => ValidateBy({
  name: 'isMailbox',
  validator: {
    validate: (value: unknown) => typeof value === 'string' && mailboxOf(value) !== undefined,
    defaultMessage: buildMessage((each) => `${each}must be an e-mail address`),
  },
});

/** The host of a mailbox (`hostNameOf`). */
export const IsHostName = (options: ValidationOptions = {}): PropertyDecorator => ValidateBy({
  name: 'isHostName',
  validator: {
    validate: (value: unknown) => typeof value === 'string' && hostNameOf(value) !== undefined,
    defaultMessage: buildMessage((each) => `${each}must be a host name`),
  },
}, options);
