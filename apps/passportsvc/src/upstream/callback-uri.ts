export const UPSTREAM_PATH = '/passportsvc/sign-in/upstream';

/** One for each provider: an answer that comes here can only be meant as this one's (RFC 9700 section 4.4.2). */
export const callbackUri = (baseUrl: string, providerId: string): string => `${baseUrl}${UPSTREAM_PATH}/callback/${providerId}`;
