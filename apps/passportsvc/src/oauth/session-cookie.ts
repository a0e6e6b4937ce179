/** The browser's session. Its path is that of all pages; the gateway has other services beside this one. */
export const SESSION_COOKIE = 'passport_session';
export const COOKIE_OPTIONS = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const;
export const SESSION_COOKIE_OPTIONS = { ...COOKIE_OPTIONS, path: '/passportsvc' } as const;
