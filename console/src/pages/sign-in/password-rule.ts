// The gateway's rule for passwords, shown before anything is sent. The gateway decides.

export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_HINT = `At least ${PASSWORD_LENGTH_MIN} characters.`;
