// What stands for the user's words. Some vendors want the user to begin a conversation, or to have the last word in it;
// clients begin with a greeting of the model's, cut a long conversation anywhere, or leave an answer to be continued.

export const BEGINNING = '(The conversation begins.)';
export const CONTINUE = 'Continue.';
