// An id for one attempt to change something, so that it is done once.

/** Random numbers that are also available where the page did not come over TLS. */
export const newAttempt = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
