/** Calls to addresses that tenants name, and to other services at length: an entry of its own, so that services without any do not load an HTTP client. */
export * from './outbound/outbound-agent';
export * from './outbound/private-addresses';
export { fetchFromService } from './outbound/service-fetch';
