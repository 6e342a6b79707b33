// What differs between the sites whose accounts can be used to sign in. A profile without a verified address is not
// accepted, because the address connects the account with a user.

/** `subject` is the site's own id of the account, which never passes to another person; the address may. */
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
  /** Null where the site has no verified address for the account. */
  readProfile(accessToken: string): Promise<Profile | null>;
}>;

export type OAuthClient = Readonly<{ clientId: string; clientSecret: string }>;
