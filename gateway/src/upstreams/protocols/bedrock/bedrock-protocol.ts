// The protocol of Amazon Bedrock: Converse for every model, and Anthropic's own bodies for Anthropic's models. Calls
// are signed with the account's keys, or carry an API key of the service.

import type { Provider } from '../../../canonical/model.ts';
import { bearer } from '../../authorize.ts';
import { type ConversationCodec, conversationCodec } from '../../conversation-codec.ts';
import type { CallToSign, Protocol } from '../../protocol.ts';
import { signV4 } from '../../sign-v4.ts';
import { readUsage } from './convert-usage.ts';
import { decodeError } from './decode-error.ts';
import { decodeAnswer, toAnswer } from './decode-response.ts';
import { createConverseStreamDecoder } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { invokeCodec } from './invoke-codec.ts';
import { isAnthropicModel } from './model-path.ts';

const SERVICE = 'bedrock';

const converseCodec: ConversationCodec = {
  ...conversationCodec({
    format: 'native',
    encode: encodeRequest,
    decodeJson: decodeAnswer,
    decodeError,
    readUsage,
    toAnswer,
    createStreamDecoder: createConverseStreamDecoder,
  }),
  embedsPictures: true,
  lacksHostedTools: true,
};

const converseCodecs = { chat: converseCodec };
const invokeCodecs = { chat: invokeCodec };

function authorize(call: CallToSign, provider: Provider) {
  const {
    region = '',
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    session_token: sessionToken,
  } = provider.settings ?? {};
  if (accessKeyId === undefined || secretAccessKey === undefined) return bearer(call, provider, '');
  return signV4(call, { accessKeyId, secretAccessKey, sessionToken }, { region, service: SERVICE });
}

export const bedrockProtocol: Protocol = {
  authorize,
  codecs: converseCodecs,
  // Only a Converse body has a place for the operator's guardrail.
  codecsOf: (route, { format }) =>
    format === 'messages' && isAnthropicModel(route) && route.provider.settings?.guardrail_id === undefined
      ? invokeCodecs
      : converseCodecs,
};
