const RUNTIME_NOTICE = 'Unsupported runtime';

/**
 * oidc-provider and those of its parts that our own code grant is made of. The library prints a warning on Node 20 when it
 * is loaded, although its tests pass there; that one line is kept out of the log. The version is pinned exactly, since
 * `lib/helpers` is not its public face.
 */
export async function loadOidcLibrary() {
  const { warn } = console;
  console.warn = (...words: unknown[]) => {
    if (!String(words[0]).includes(RUNTIME_NOTICE)) warn(...words);
  };
  try {
    const [{ Provider, errors, interactionPolicy }, grantHelpers, { issueTokens }, { get: internalsOf }] = await Promise.all([
      import('oidc-provider'),
      import('oidc-provider/lib/helpers/grants.js'),
      import('oidc-provider/lib/helpers/grant_common.js'),
      import('oidc-provider/lib/helpers/weak_cache.js'),
    ]);
    return { Provider, errors, interactionPolicy, grantHelpers, issueTokens, internalsOf };
  } finally {
    console.warn = warn;
  }
}

export type OidcLibrary = Awaited<ReturnType<typeof loadOidcLibrary>>;
