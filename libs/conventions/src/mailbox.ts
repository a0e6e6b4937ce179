import { domainToASCII, domainToUnicode } from 'node:url';
import { foldCase } from './fold-case';

/** Bytes (RFC 5321 section 4.5.3.1.1, and 254 of a whole address by 4.5.3.1.3). */
const LONGEST = { local: 64, host: 253, address: 254 } as const;
/** A dot-atom of RFC 5322 section 3.2.3, with what RFC 6531 section 3.3 adds: neither quotes, comments nor blanks, nor what cannot be seen. */
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+)*$/u;
const UNSEEN = /[\p{C}\p{Z}]/u;
/** Of ASCII what a host may be written with; the rest is left to UTS 46. */
const HOST = /^[a-z\d.\u{80}-\u{10ffff}-]+$/iu;
/** Of a name in the DNS (RFC 1123 section 2.1). */
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;
/** The last label of an IP address. */
const NUMBER = /^\d+$/;

/**
 * The address of one mailbox in the form in which two that reach the same one are equal (contract 1.6): the local part in NFC and folded, the host as
 * UTS 46 maps it, in the letters that people read. `undefined` for whatever is none: lists, names beside it, quoted parts, hosts that there cannot be. Blanks around it are left out.
 */
export function mailboxOf(text: string): string | undefined {
  const [, given, written] = /^([^@]+)@([^@]+)$/u.exec(text.trim()) ?? [];
  if (given === undefined || written === undefined) return undefined;
  const [local, host] = [foldCase(given.normalize('NFC')), asciiHostOf(written)];
  if (host === undefined || !DOT_ATOM.test(local) || UNSEEN.test(local) || Buffer.byteLength(local) > LONGEST.local) return undefined;
  if (Buffer.byteLength(`${local}@${host}`) > LONGEST.address) return undefined;
  return `${local}@${domainToUnicode(host)}`;
}

/** A host name as UTS 46 maps it, in the letters that people read: the part of an address behind its `@`. `undefined` for what is none. */
export function hostNameOf(text: string): string | undefined {
  const host = asciiHostOf(text.trim());
  return host && domainToUnicode(host);
}

/** As the DNS has it. */
function asciiHostOf(written: string): string | undefined {
  if (!HOST.test(written)) return undefined;
  // "An absolute name": the dot that ends it says nothing of the host.
  const host = domainToASCII(written).replace(/\.$/, '');
  const labels = host.split('.');
  const isName = labels.length > 1 && labels.every((label) => LABEL.test(label)) && !NUMBER.test(labels.at(-1) ?? '');
  return isName && host.length <= LONGEST.host ? host : undefined;
}
