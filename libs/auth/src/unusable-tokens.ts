/** What is wrong with the header `Authorization`, and what would be right: details of a 401. */
const CLIENTS_GET_ONE = 'clients get a token from /passportsvc/api/v2/oauth/token';
const WANTED = `send \`Bearer <token>\`; ${CLIENTS_GET_ONE}`;

export const NO_TOKEN = `is missing: ${WANTED}`;
export const NOT_A_TOKEN = `is no token: ${WANTED}`;
export const EXPIRED_TOKEN = 'its token has expired: get a new one';
export const ENDED_TOKEN = `its token is valid no longer: it was revoked, its session has ended, or whom it belongs to is disabled; sign in again, ${CLIENTS_GET_ONE}`;
export const FOREIGN_TOKEN = `its token is not one of this platform: another one issued it, or it was changed or cut short; sign in here, ${CLIENTS_GET_ONE}`;
