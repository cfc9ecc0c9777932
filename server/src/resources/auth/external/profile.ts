/** What an external provider says about a person. Pure. */

/** Claims of an ID token, an access token or the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

export type Profile = {
  email?: string;
  email_verified?: boolean;
  first_name?: string;
  last_name?: string;
  name?: string;
};

/** The claims that are used here; other types and lengths are left out or cut. */
export function profileFrom(claims: Claims): Profile {
  const text = (name: string, max: number) => {
    const value = claims[name];
    return typeof value === 'string' && value !== '' && !value.includes('\0')
      ? value.slice(0, max)
      : undefined;
  };
  const profile = {
    email: text('email', 320),
    first_name: text('given_name', 100),
    last_name: text('family_name', 100),
    name: text('name', 200) ?? text('preferred_username', 200),
  };
  return {
    ...(Object.fromEntries(
      Object.entries(profile).filter(([, value]) => value !== undefined),
    ) as Profile),
    ...(profile.email !== undefined && isTrue(claims.email_verified)
      ? { email_verified: true }
      : {}),
  };
}

/** Some providers write it as text. */
const isTrue = (value: unknown) => value === true || value === 'true';

/**
 * Combines two statements about one person. An address is verified only if one of them says so of
 * that very address.
 */
export const combined = (first: Profile, second: Profile): Profile =>
  first.email_verified || !second.email_verified
    ? { ...second, ...first }
    : { ...first, ...second };
