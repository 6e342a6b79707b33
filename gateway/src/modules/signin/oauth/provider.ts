// What differs between the sites whose accounts can be used to sign in. A profile without a proven address is no
// profile: the address is what ties the account to a user.

/** `subject` is the site's own id of the account, which never changes hands; the address may. */
export type Profile = Readonly<{ subject: string; email: string; name: string }>;

export type OAuthProvider = Readonly<{
  id: string;
  /** For people. */
  name: string;
  clientId: string;
  clientSecret: string;
  authorizeUrl: string;
  tokenUrl: string;
  scope: string;
  /** Null where the site has no proven address for the account. */
  readProfile(accessToken: string): Promise<Profile | null>;
}>;

export type OAuthClient = Readonly<{ clientId: string; clientSecret: string }>;
