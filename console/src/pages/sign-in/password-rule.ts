// What the gateway asks of a password. It decides; this only says so before anything is sent.

export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_HINT = `At least ${PASSWORD_LENGTH_MIN} characters.`;
