import { ACCOUNT_CLIENT_ID, ACCOUNT_PATH } from '../../oauth/oidc-clients';
import { OAUTH_ROUTES, PASSPORT_PATH } from '../../oauth/oidc-configuration';

/** Addresses of the account page and its parts, which all bring along the way back and the chosen language. */
export interface AccountPlace {
  /** Where the person came from, when it may be led back there. */
  readonly returnUrl: string | undefined;
  readonly here: (query?: Readonly<Record<string, string>>) => string;
  readonly part: (name: string, query?: Readonly<Record<string, string>>) => string;
  /** Leads through sign-in and back here. */
  readonly signIn: (baseUrl: string) => string;
}

export function placeOf(returnUrl: string | undefined, uiLocales: string): AccountPlace {
  const kept = { ...(returnUrl !== undefined && { returnUrl }), ...(uiLocales !== '' && { ui_locales: uiLocales }) };
  const at = (path: string, query: Readonly<Record<string, string>>) => {
    const text = new URLSearchParams(query).toString();
    return text === '' ? path : `${path}?${text}`;
  };
  return {
    returnUrl,
    here: (query = {}) => at(ACCOUNT_PATH, { ...query, ...kept }),
    part: (name, query = {}) => at(`${ACCOUNT_PATH}/${name}`, { ...query, ...kept }),
    signIn: (baseUrl) => at(PASSPORT_PATH + OAUTH_ROUTES.authorization, {
      response_type: 'none', client_id: ACCOUNT_CLIENT_ID, redirect_uri: baseUrl + ACCOUNT_PATH, scope: 'openid',
      ...(returnUrl !== undefined && { state: returnUrl }), ...(uiLocales !== '' && { ui_locales: uiLocales }),
    }),
  };
}
